package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime/debug"
	"slices"
	"strings"
)

func main() {
	version := flag.String("version", "", "the version of the release")
	notices := flag.Bool("notices", false, "print the licences of all modules in the binaries")
	flag.Parse()
	if err := run(os.Stdout, *version, *notices, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

func run(out io.Writer, version string, notices bool, files []string) error {
	if len(files) == 0 || !notices && (len(files) != 1 || version == "") {
		return errors.New("usage: sbom -version V BINARY, or sbom -notices BINARY [BINARY ...]")
	}
	binaries, err := readAll(files)
	if err != nil {
		return err
	}
	found, err := licences(modules(binaries))
	if err != nil {
		return err
	}
	if notices {
		_, err = io.WriteString(out, noticesText(found))
		return err
	}
	data, err := json.MarshalIndent(materials(binaries[0], version, found), "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s\n", data)
	return err
}

// binary is one file and what Go recorded in it.
type binary struct {
	digest string
	info   *debug.BuildInfo
}

func readAll(files []string) ([]binary, error) {
	var out []binary
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		info, err := buildinfo.ReadFile(f)
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(data)
		out = append(out, binary{hex.EncodeToString(sum[:]), info})
	}
	return out, nil
}

// modules are those in any of the binaries, each once, by path.
func modules(binaries []binary) []*debug.Module {
	byPath := map[string]*debug.Module{}
	for _, b := range binaries {
		for _, m := range b.info.Deps {
			if m.Replace != nil {
				m = m.Replace
			}
			byPath[m.Path] = m
		}
	}
	var out []*debug.Module
	for _, m := range byPath {
		out = append(out, m)
	}
	slices.SortFunc(out, func(a, b *debug.Module) int { return strings.Compare(a.Path, b.Path) })
	return out
}

// licensed is a module and the terms that it comes under.
type licensed struct {
	*debug.Module
	id, text string
}

// licences reads the terms of each module from the module itself. Go's own
// come first: its library and runtime are in every binary.
func licences(mods []*debug.Module) ([]licensed, error) {
	root, err := output("go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	dirs := map[string]string{}
	if len(mods) > 0 {
		args := []string{"list", "-m", "-f", "{{.Path}}\t{{.Dir}}"}
		for _, m := range mods {
			args = append(args, m.Path)
		}
		list, err := output("go", args...)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(list) {
			path, dir, _ := strings.Cut(strings.TrimSpace(line), "\t")
			dirs[path] = dir
		}
	}
	goVersion, err := output("go", "env", "GOVERSION")
	if err != nil {
		return nil, err
	}
	mods = append([]*debug.Module{{Path: "std", Version: strings.TrimPrefix(strings.TrimSpace(goVersion), "go")}}, mods...)
	dirs["std"] = strings.TrimSpace(root)
	var out []licensed
	for _, m := range mods {
		texts, err := terms(dirs[m.Path])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.Path, err)
		}
		id := licenceID(texts[0])
		if id == "" {
			return nil, fmt.Errorf("%s: its licence is not one that is known here; look at it and add it to licence.go", m.Path)
		}
		out = append(out, licensed{m, id, strings.Join(texts, "\n\n")})
	}
	return out, nil
}

func output(name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	return string(out), err
}

// noticesText is what goes along with the binaries.
func noticesText(found []licensed) string {
	var b strings.Builder
	b.WriteString("familiar holds these modules. Their source is at the address that is their name.\n")
	for _, l := range found {
		fmt.Fprintf(&b, "\n%s\n%s %s (%s)\n%s\n\n%s\n", strings.Repeat("=", 78), l.Path, l.Version, l.id, strings.Repeat("=", 78), strings.TrimSpace(l.text))
	}
	return b.String()
}
