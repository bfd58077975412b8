package decorum_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The Go code in the README is the code of Example, so it compiles and does
// what the README says. Only the indentation may differ.
func TestReadmeShowsTheExample(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	example, err := os.ReadFile("example_test.go")
	require.NoError(t, err)

	code := unindent(string(example))
	blocks := 0
	for _, part := range strings.Split(string(readme), "```go\n")[1:] {
		block, _, closed := strings.Cut(part, "```")
		require.True(t, closed, "a code block is not closed")
		assert.Contains(t, code, unindent(block), "this block of the README is not in example_test.go")
		blocks++
	}
	assert.Equal(t, 2, blocks, "the kind, and the program around it")
}

// examples are the files that the Go code in each page of documentation comes from. docs/testing.md has a test in
// rest/resttest, docs/designing-kinds.md one in rest/conventions, and the page of the conformance suite describes a kind
// to authors of other servers.
var examples = map[string][]string{
	"docs/admission.md":       {"rest/example_test.go"},
	"docs/aggregated.md":      {"examples/aggregated/main.go"},
	"docs/cel.md":             {"cel/example_test.go"},
	"docs/console.md":         {"examples/platform/main.go", "rest/console/example_test.go"},
	"docs/designing-kinds.md": nil,
	"docs/deletion.md":        {"rest/example_test.go", "rest/lifecycle/example_test.go"},
	"docs/embedded.md":        {"storage/etcd/embedded/example_test.go"},
	"docs/extensions.md": {
		"rest/example_queries_test.go", "rest/example_transact_test.go", "rest/example_history_test.go",
		"storage/foreign/example_test.go",
	},
	"docs/guide.md": {
		"examples/platform/site/site.go", "examples/platform/site/v2.go", "examples/platform/site/site_test.go",
		"examples/platform/main.go",
		"examples/platform/publisher.go", "examples/platform/publisher_test.go", "examples/platform/report/main.go",
		"examples/replicas/replica.go", "examples/replicas/store.go", "storage/postgres/example_test.go",
	},
	"docs/kinds.md": {"rest/example_kinds_test.go", "rest/example_actions_test.go"},
	"docs/login.md": {"rest/auth/example_test.go", "rest/auth/example_requestheaders_test.go", "rest/auth/oidc/example_test.go", "rest/seed/example_test.go"},
	"docs/path-controller.md": {
		"rest/controller/example_test.go", "examples/controller/main.go", "examples/controller/manager.go", "examples/controller/database.go",
	},
	"docs/path-service.md":  {"examples/billing/main.go", "examples/billing/invoice.go", "examples/billing/billing.go"},
	"docs/path-tenants.md":  {"examples/platform/teams/main.go"},
	"docs/runtime-kinds.md": {"rest/example_runtime_test.go", "cel/example_definitions_test.go"},
	"docs/security.md": {
		"rest/auth/example_test.go", "rest/serviceaccount/example_test.go", "rest/example_filters_test.go",
		"rest/quota/example_test.go",
		"rest/fairness/example_test.go",
	},
	"docs/storage.md": {
		"rest/example_storage_test.go", "storage/bolt/example_test.go", "rest/lifecycle/example_test.go",
		"examples/replicas/replica.go", "examples/replicas/store.go", "storage/postgres/example_test.go",
	},
	"docs/teams.md":    {"examples/platform/teams/main.go"},
	"docs/testing.md":  nil,
	"docs/validate.md": {"rest/validate/example_test.go"},
	"docs/versions.md": {"rest/example_versions_test.go"},
	"docs/webhooks.md": {"rest/callout/example_test.go", "rest/crd/example_webhook_test.go",
		"rest/webhook/example_test.go", "cel/example_policies_test.go"},
	"examples/controller/README.md":       {"examples/controller/manager.go"},
	"k8s/README.md":                       {"k8s/example_test.go"},
	"rest/conformance/fixtures/widget.md": nil,
}

// The Go code in a page of documentation is that of an Example, too. The comment "// ..." stands for lines that the
// page leaves out.
func TestDocsShowExamples(t *testing.T) {
	for _, page := range pages(t) {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		blocks := strings.Split(string(text), "```go\n")[1:]
		if len(blocks) == 0 || page == "README.md" {
			continue
		}
		files, known := examples[page]
		require.True(t, known, "%s has Go code; name the files that it comes from", page)
		if files == nil {
			continue
		}
		var code string
		for _, file := range files {
			example, err := os.ReadFile(file)
			require.NoError(t, err)
			code += unindent(string(example))
		}
		for _, block := range blocks {
			block, _, closed := strings.Cut(block, "```")
			require.True(t, closed, "a code block is not closed")
			for _, part := range strings.Split(block, "// ...\n") {
				assert.Contains(t, code, unindent(part), "this block of %s is in none of %v", page, files)
			}
		}
	}
}

// Until the first release, users build against a checkout. The commands in the README work in a new module.
func TestReadmeCheckout(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	_, block, found := strings.Cut(string(readme), "git clone https://github.com/decorum-go/decorum ../decorum\n")
	require.True(t, found)
	commands, _, _ := strings.Cut(block, "```")

	checkout, err := os.Getwd()
	require.NoError(t, err)
	dir := t.TempDir() + "/app"
	require.NoError(t, os.Mkdir(dir, 0o700))
	require.NoError(t, os.Symlink(checkout, dir+"/../decorum"))
	require.NoError(t, os.WriteFile(dir+"/go.mod", []byte("module app.example.com\n\ngo 1.26\n"), 0o600))
	program := "package main\n\nimport _ \"github.com/decorum-go/decorum/rest\"\n\nfunc main() {}\n"
	require.NoError(t, os.WriteFile(dir+"/main.go", []byte(program), 0o600))
	command := exec.CommandContext(t.Context(), "sh", "-e", "-c", commands+"go list -deps . >list")
	command.Dir = dir
	command.Env = append(os.Environ(), "GOSUMDB=off", "GOFLAGS=-mod=mod", "GOWORK=off")
	out, err := command.CombinedOutput()
	require.NoError(t, err, "%s", out)
	list, err := os.ReadFile(dir + "/list")
	require.NoError(t, err)
	assert.Contains(t, string(list), "github.com/decorum-go/decorum/storage\n")
}

// People copy the examples, so these import no package that only this module may import.
func TestExamplesCanBeCopied(t *testing.T) {
	seen := 0
	require.NoError(t, filepath.WalkDir("examples", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		seen++
		text, err := os.ReadFile(path)
		assert.NotContains(t, string(text), "/internal/", path)
		return err
	}))
	assert.NotZero(t, seen)
}

// Every file that the README and the documentation link to exists, and has the heading or the anchor that a link names.
// Links to other sites are not followed, because tests use only this machine.
func TestLinksPointToFiles(t *testing.T) {
	decisions, err := filepath.Glob("docs/decisions/*.md")
	require.NoError(t, err)
	link := regexp.MustCompile(`\]\(([^)]*)\)|(?:src|srcset|href)="([^"]*)"`)
	for _, page := range append(pages(t), decisions...) {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, match := range link.FindAllStringSubmatch(withoutCode(string(text)), -1) {
			target := match[1] + match[2]
			if strings.Contains(target, "://") {
				continue
			}
			target, anchor, named := strings.Cut(target, "#")
			file := filepath.Join(filepath.Dir(page), target)
			if target == "" {
				file = page
			}
			_, err := os.Stat(file)
			assert.NoError(t, err, "%s links to %s", page, target)
			if named && err == nil {
				assert.Contains(t, anchors(t, file), anchor, "%s links to a place in %s", page, file)
			}
		}
	}
}

// Comments name pages of the documentation by their path from the root of the repository.
func TestCommentsNamePagesThatExist(t *testing.T) {
	name := regexp.MustCompile(`\bdocs/[a-z0-9/-]+\.md\b`)
	seen := 0
	require.NoError(t, filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, page := range name.FindAllString(string(text), -1) {
			seen++
			_, err := os.Stat(page)
			assert.NoError(t, err, "%s names %s", path, page)
		}
		return err
	}))
	assert.NotZero(t, seen)
}

// anchors returns the places in a page to which a link can lead: its headings, as GitHub writes them, and its explicit
// anchors.
func anchors(t *testing.T, page string) []string {
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	var out []string
	for line := range strings.Lines(withoutCode(string(text))) {
		if heading, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); ok && line[0] == '#' {
			out = append(out, strings.Map(inAnchor, strings.TrimSpace(heading)))
		}
		for _, part := range strings.Split(line, `<a id="`)[1:] {
			id, _, _ := strings.Cut(part, `"`)
			out = append(out, id)
		}
	}
	return out
}

// inAnchor returns the character that stands for r in the anchor of a heading, or -1 if none does.
func inAnchor(r rune) rune {
	switch {
	case r == ' ':
		return '-'
	case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
		return unicode.ToLower(r)
	}
	return -1
}

// withoutCode leaves out the blocks between fences.
func withoutCode(text string) string {
	var out strings.Builder
	for i, part := range strings.Split(text, "```") {
		if i%2 == 0 {
			out.WriteString(part)
		}
	}
	return out.String()
}

func unindent(code string) string {
	var out strings.Builder
	for line := range strings.Lines(code) {
		out.WriteString(strings.TrimLeft(line, "\t "))
	}
	return out.String()
}
