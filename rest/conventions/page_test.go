package conventions_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest/conventions"
)

// sections returns the sections of docs/designing-kinds.md by their anchors.
func sections(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile("../../docs/designing-kinds.md")
	require.NoError(t, err)
	out := map[string]string{}
	for _, part := range strings.Split(string(text), "\n## ")[1:] {
		heading, body, _ := strings.Cut(part, "\n")
		out[strings.ReplaceAll(strings.ToLower(strings.ReplaceAll(heading, ",", "")), " ", "-")] = body
	}
	return out
}

// verdict matches a comment on the page: "wrong: RULE" or "right", with the place of the fields unless it is the spec.
var verdict = regexp.MustCompile(`^// (wrong|right)( in a status)?(?:: ([a-z0-9-]+))?$`)

// lines are fields of the page.
type lines struct {
	text, rule        string
	isWrong, inStatus bool
}

// linesOf returns the fields of a section, by the comments above them.
func linesOf(t *testing.T, section string) (out []lines) {
	t.Helper()
	for _, part := range strings.Split(section, "```go\n")[1:] {
		block, _, _ := strings.Cut(part, "```")
		for line := range strings.Lines(block) {
			if match := verdict.FindStringSubmatch(strings.TrimSpace(line)); match != nil {
				out = append(out, lines{isWrong: match[1] == "wrong", inStatus: match[2] != "", rule: match[3]})
				continue
			}
			require.NotEmpty(t, out, "a field without a comment")
			out[len(out)-1].text += line
		}
	}
	return out
}

// vet returns the findings about the fields.
func (l *lines) vet(t *testing.T) []conventions.Finding {
	t.Helper()
	name := "Spec"
	if l.inStatus {
		name = "Status"
	}
	file, err := parser.ParseFile(token.NewFileSet(), "", "package p\ntype "+name+" struct {\n"+l.text+"\n}", 0)
	require.NoError(t, err, l.text)
	r := typeReader{t: t}
	return conventions.FindingsOf(r.kind(file.Decls[0].(*ast.GenDecl).Specs[0].(*ast.TypeSpec)))
}

// Vet finds in each wrong line of the page the rule that stands above it, and the finding names the section of the
// line. It finds nothing in the right ones.
func TestThePageIsRight(t *testing.T) {
	seen := 0
	for anchor, section := range sections(t) {
		for _, l := range linesOf(t, section) {
			seen++
			findings := l.vet(t)
			if !l.isWrong {
				assert.Empty(t, findings, l.text)
				continue
			}
			assert.True(t, slices.ContainsFunc(findings, func(f conventions.Finding) bool {
				return string(f.Rule) == l.rule && f.Page == "docs/designing-kinds.md#"+anchor
			}), "%s: %s\n%s", l.rule, findings, l.text)
		}
	}
	assert.Greater(t, seen, 60)
}

// The section that a finding names exists, and explains the rule by its name.
func TestEachRuleHasASection(t *testing.T) {
	all := sections(t)
	for _, r := range conventions.Rules() {
		section, found := all[r.Page]
		assert.True(t, found, "the page has no section %s", r.Page)
		isThere := strings.Contains(section, "`"+string(r.Rule)+"`") || strings.Contains(section, ": "+string(r.Rule)+"\n")
		assert.True(t, isThere, "the section %s does not name the rule %s", r.Page, r.Rule)
	}
}
