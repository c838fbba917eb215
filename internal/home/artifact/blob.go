package artifact

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

const (
	blockBytes  = 8 << 20
	blobVersion = "2024-11-04" // of the blob store's protocol
)

// putBlob uploads the bytes in blocks, then their list in order. Neither
// request carries a token: the address is signed.
func (s *Service) putBlob(ctx context.Context, address string, data []byte) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || !secure(u) {
		return errors.New("the artifact service gave no https address to upload to")
	}
	s.hide(u)
	var list strings.Builder
	list.WriteString(`<?xml version="1.0" encoding="utf-8"?><BlockList>`)
	for n := 0; n*blockBytes < len(data); n++ {
		id := base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "familiar-%08d", n))
		block := data[n*blockBytes : min((n+1)*blockBytes, len(data))]
		if err := s.put(ctx, "the upload", u, "comp=block&blockid="+url.QueryEscape(id), http.Header{"Content-Type": {"application/octet-stream"}}, block); err != nil {
			return err
		}
		list.WriteString("<Latest>" + id + "</Latest>")
	}
	list.WriteString("</BlockList>")
	header := http.Header{"Content-Type": {"text/plain; charset=UTF-8"}, "X-Ms-Blob-Content-Type": {"application/zip"}}
	return s.put(ctx, "the end of the upload", u, "comp=blocklist", header, []byte(list.String()))
}

func (s *Service) put(ctx context.Context, what string, to *url.URL, query string, header http.Header, body []byte) error {
	u := *to
	if u.RawQuery != "" {
		query = u.RawQuery + "&" + query
	}
	u.RawQuery = query
	header.Set("X-Ms-Version", blobVersion)
	_, err := s.send(ctx, what, http.MethodPut, u.String(), header, body)
	return err
}

// hide masks the signature before anything can log it: as it stands in the
// address, and decoded.
func (s *Service) hide(u *url.URL) {
	for pair := range strings.SplitSeq(u.RawQuery, "&") {
		key, value, _ := strings.Cut(pair, "=")
		if !strings.EqualFold(key, "sig") || value == "" || s.o.Mask == nil {
			continue
		}
		s.o.Mask(value)
		if raw, err := url.QueryUnescape(value); err == nil && raw != value {
			s.o.Mask(raw)
		} else if enc := url.QueryEscape(value); enc != value {
			s.o.Mask(enc)
		}
	}
}
