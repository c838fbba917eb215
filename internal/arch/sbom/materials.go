package main

import (
	"crypto/sha256"
	"fmt"
	"net/url"
	"strings"
)

// The part of CycloneDX 1.6 that is filled here.
type (
	bom struct {
		Schema       string       `json:"$schema"`
		Format       string       `json:"bomFormat"`
		Spec         string       `json:"specVersion"`
		Serial       string       `json:"serialNumber"`
		Version      int          `json:"version"`
		Metadata     metadata     `json:"metadata"`
		Components   []component  `json:"components"`
		Dependencies []dependency `json:"dependencies"`
	}
	metadata struct {
		Component component `json:"component"`
	}
	component struct {
		Type       string     `json:"type"`
		Ref        string     `json:"bom-ref"`
		Name       string     `json:"name"`
		Version    string     `json:"version"`
		Hashes     []hash     `json:"hashes,omitempty"`
		Licences   []licence  `json:"licenses"`
		PURL       string     `json:"purl"`
		Properties []property `json:"properties,omitempty"`
	}
	hash struct {
		Algorithm string `json:"alg"`
		Content   string `json:"content"`
	}
	licence struct {
		Licence struct {
			ID string `json:"id"`
		} `json:"license"`
	}
	property struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	dependency struct {
		Ref       string   `json:"ref"`
		DependsOn []string `json:"dependsOn"`
	}
)

// materials is the bill of one binary. It names no day and no chance: its
// serial number comes from the binary's digest.
func materials(b binary, version string, found []licensed) bom {
	main := entry("application", b.info.Main.Path, version, "Apache-2.0")
	main.Hashes = []hash{{"SHA-256", b.digest}}
	for _, s := range b.info.Settings {
		if s.Key == "GOOS" || s.Key == "GOARCH" || s.Key == "CGO_ENABLED" {
			main.Properties = append(main.Properties, property{"go:" + s.Key, s.Value})
		}
	}
	out := bom{
		Schema: "http://cyclonedx.org/schema/bom-1.6.schema.json", Format: "CycloneDX", Spec: "1.6",
		Serial: serial(b.digest), Version: 1, Metadata: metadata{main},
		Dependencies: []dependency{{Ref: main.Ref}},
	}
	for _, l := range found {
		c := entry("library", l.Path, l.Version, l.id)
		if l.Sum != "" {
			c.Properties = []property{{"go:sum", l.Sum}}
		}
		out.Components = append(out.Components, c)
		out.Dependencies[0].DependsOn = append(out.Dependencies[0].DependsOn, c.Ref)
	}
	return out
}

func entry(kind, path, version, id string) component {
	purl := "pkg:golang/" + strings.ReplaceAll(url.PathEscape(path), "%2F", "/") + "@" + url.PathEscape(version)
	var l licence
	l.Licence.ID = id
	return component{Type: kind, Ref: purl, Name: path, Version: version, Licences: []licence{l}, PURL: purl}
}

// serial is a UUID (version 8: made by the writer's own rule) of a digest.
func serial(digest string) string {
	u := sha256.Sum256([]byte("familiar bill of materials " + digest))
	u[6], u[8] = u[6]&0x0f|0x80, u[8]&0x3f|0x80
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", u[0:4], u[4:6], u[6:8], u[8:10], u[10:16])
}
