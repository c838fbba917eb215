package githubtest

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/xml"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// maxBlock is the size of the blocks that an upload is cut into.
const maxBlock = 8 << 20

// upload is one artifact on its way: made, blocks put, list committed,
// finalized.
type upload struct {
	key, sig  string
	name      string
	rt        *runtime
	expires   time.Time
	blocks    map[string][]byte
	data      []byte
	committed bool
	deleted   bool
	id        int64
}

func (u *upload) digest() string {
	sum := sha256.Sum256(u.data)
	return "sha256:" + hex.EncodeToString(sum[:])
}

func (s *Server) blobRoutes() []*route {
	return []*route{
		{host: Blob, method: http.MethodPut, template: "/upload/{key}", handle: s.putBlob},
		{host: Blob, method: http.MethodGet, template: "/download/{key}", handle: s.getBlob},
	}
}

func (s *Server) signUpload(u *upload) string {
	v := url.Values{"sig": {u.sig}, "se": {stamp(s.now.Add(time.Hour))}, "sp": {"cw"}, "sv": {"2025-11-05"}}
	return s.blob.URL + "/upload/" + u.key + "?" + v.Encode()
}

// download is what a signed address stands for: an artifact or a log, and the
// token that asked for it.
type download struct {
	id     int64
	holder string
}

// signDownload makes an address that any client without a token may read.
func (s *Server) signDownload(id int64, holder string) string {
	key := secret(40)
	s.downloads[key] = download{id, holder}
	v := url.Values{"sig": {key + "+/="}, "se": {stamp(s.now.Add(time.Minute))}, "sp": {"r"}, "sv": {"2025-11-05"}}
	return s.blob.URL + "/download/" + key + "?" + v.Encode()
}

// blobFail is an error of the blob store, which speaks XML.
func blobFail(status int, code string) reply {
	return reply{status: status, header: http.Header{"Content-Type": {"application/xml"}, "X-Ms-Error-Code": {code}},
		body: []byte(`<?xml version="1.0" encoding="utf-8"?><Error><Code>` + code + `</Code><Message>` + code + `</Message></Error>`)}
}

// authorized refuses a token on the blob host: the address is the right to
// use it, and the token would be given away to the store.
func (s *Server) authorized(q *request) (reply, bool) {
	if q.Header.Get("Authorization") == "" {
		return reply{}, true
	}
	s.violate("%s: an Authorization header was sent to the blob host", q.route.name())
	return blobFail(http.StatusUnauthorized, "InvalidAuthenticationInfo"), false
}

func (s *Server) getBlob(q *request) reply {
	if a, fine := s.authorized(q); !fine {
		return a
	}
	d, known := s.downloads[q.p["key"]]
	id := d.id
	if !known || q.URL.Query().Get("sig") != q.p["key"]+"+/=" {
		s.violate("%s: wrong signature", q.route.name())
		return blobFail(http.StatusForbidden, "AuthenticationFailed")
	}
	for _, r := range s.byID {
		if a := r.artifact(id); a != nil {
			return reply{status: http.StatusOK, body: a.Data, header: http.Header{
				"Content-Type": {"application/zip"}, "X-Ms-Blob-Type": {"BlockBlob"}}}
		}
	}
	if log, is := s.logBlob(id); is {
		return log
	}
	return blobFail(http.StatusNotFound, "BlobNotFound")
}

func (s *Server) putBlob(q *request) reply {
	if a, fine := s.authorized(q); !fine {
		return a
	}
	v := q.URL.Query()
	u := s.uploads[q.p["key"]]
	switch {
	case u == nil || v.Get("sig") != u.sig:
		s.violate("%s: wrong signature", q.route.name())
		return blobFail(http.StatusForbidden, "AuthenticationFailed")
	case q.Header.Get("X-Ms-Version") == "":
		s.violate("%s: no x-ms-version", q.route.name())
		return blobFail(http.StatusBadRequest, "MissingRequiredHeader")
	case q.ContentLength < 0:
		s.violate("%s: no Content-Length", q.route.name())
		return blobFail(http.StatusLengthRequired, "MissingContentLengthHeader")
	case u.id != 0:
		s.violate("%s: the artifact is final", q.route.name())
		return blobFail(http.StatusConflict, "BlobImmutableDueToPolicy")
	}
	switch v.Get("comp") {
	case "block":
		return s.putBlock(q, u, v.Get("blockid"))
	case "blocklist":
		return s.putBlockList(q, u)
	}
	s.violate("%s: comp=%q; an upload is comp=block and then comp=blocklist", q.route.name(), v.Get("comp"))
	return blobFail(http.StatusBadRequest, "InvalidQueryParameterValue")
}

// putBlock takes one block. Ids are base64, and all of one length.
func (s *Server) putBlock(q *request, u *upload, id string) reply {
	raw, err := base64.StdEncoding.DecodeString(id)
	if err != nil || len(raw) == 0 || len(raw) > 64 {
		s.violate("%s: block id %q is not base64 of 1 to 64 bytes", q.route.name(), id)
		return blobFail(http.StatusBadRequest, "InvalidQueryParameterValue")
	}
	for other := range u.blocks {
		if len(other) != len(id) {
			s.violate("%s: block ids of different lengths", q.route.name())
			return blobFail(http.StatusBadRequest, "InvalidBlobOrBlock")
		}
	}
	if len(q.body) > maxBlock || len(q.body) == 0 {
		s.violate("%s: a block of %d bytes; take 1 to %d", q.route.name(), len(q.body), maxBlock)
		return blobFail(http.StatusRequestEntityTooLarge, "RequestBodyTooLarge")
	}
	u.blocks[id] = bytes.Clone(q.body)
	return reply{status: http.StatusCreated, header: http.Header{"X-Ms-Request-Server-Encrypted": {"true"}}}
}

// putBlockList puts the blocks together in the order of the list.
func (s *Server) putBlockList(q *request, u *upload) reply {
	var list struct {
		XMLName xml.Name `xml:"BlockList"`
		Latest  []string `xml:"Latest"`
	}
	if err := xml.Unmarshal(q.body, &list); err != nil {
		s.violate("%s: the block list is no XML: %v", q.route.name(), err)
		return blobFail(http.StatusBadRequest, "InvalidXmlDocument")
	}
	if !strings.HasPrefix(q.Header.Get("X-Ms-Blob-Content-Type"), "application/zip") {
		s.violate("%s: x-ms-blob-content-type %q", q.route.name(), q.Header.Get("X-Ms-Blob-Content-Type"))
		return blobFail(http.StatusBadRequest, "InvalidHeaderValue")
	}
	var data []byte
	for _, id := range list.Latest {
		block, put := u.blocks[strings.TrimSpace(id)]
		if !put {
			s.violate("%s: the list names block %q, which was never put", q.route.name(), id)
			return blobFail(http.StatusBadRequest, "InvalidBlockList")
		}
		data = append(data, block...)
	}
	if len(list.Latest) < len(u.blocks) {
		s.violate("%s: %d of %d blocks are not in the list", q.route.name(), len(u.blocks)-len(list.Latest), len(u.blocks))
	}
	u.data, u.committed = data, true
	return reply{status: http.StatusCreated, header: http.Header{"ETag": {`"0x` + secret(14) + `"`}}}
}
