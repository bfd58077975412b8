package decorum_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// docs/operations.md says what each line of the log means.
func TestEveryLogLineIsDocumented(t *testing.T) {
	page, err := os.ReadFile("docs/operations.md")
	require.NoError(t, err)
	messages := 0
	for _, root := range []string{"rest", "storage", "watch"} {
		require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			switch _, module := os.Stat(filepath.Join(path, "go.mod")); {
			case err != nil:
				return err
			case entry.IsDir() && (module == nil || entry.Name() == "node_modules" || entry.Name() == "testdata"):
				return fs.SkipDir
			case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
				return nil
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			for _, message := range logged(file) {
				messages++
				assert.Contains(t, string(page), message+"`", "%s logs this message", path)
			}
			return nil
		}))
	}
	assert.Greater(t, messages, 20, "the test finds the messages")
}

// logged returns the messages that a file logs: the first text among the arguments of a logger, and the texts that are
// chosen together with a level.
func logged(file *ast.File) (messages []string) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if isLogger(n.Fun) {
				messages = append(messages, texts(n.Args)[:min(1, len(texts(n.Args)))]...)
			}
		case *ast.AssignStmt:
			if slices.ContainsFunc(n.Rhs, isLevel) {
				messages = append(messages, texts(n.Rhs)...)
			}
		}
		return true
	})
	return messages
}

// isLogger reports whether a function logs: a method such as Warn of something called logger, or a local function log.
func isLogger(function ast.Expr) bool {
	method, ok := function.(*ast.SelectorExpr)
	if !ok {
		local, ok := function.(*ast.Ident)
		return ok && local.Name == "log"
	}
	var receiver string
	switch x := method.X.(type) {
	case *ast.Ident:
		receiver = x.Name
	case *ast.SelectorExpr:
		receiver = x.Sel.Name
	}
	return slices.Contains([]string{"Debug", "Info", "Warn", "Error", "Log", "LogAttrs"}, method.Sel.Name) &&
		slices.Contains([]string{"log", "logger", "Logger"}, receiver)
}

// isLevel reports whether an expression is a level of slog.
func isLevel(x ast.Expr) bool {
	level, ok := x.(*ast.SelectorExpr)
	return ok && strings.HasPrefix(level.Sel.Name, "Level")
}

// texts returns the literals among expressions, and those that end a sum.
func texts(among []ast.Expr) (all []string) {
	for _, x := range among {
		if sum, ok := x.(*ast.BinaryExpr); ok {
			x = sum.Y
		}
		if literal, ok := x.(*ast.BasicLit); ok && literal.Kind == token.STRING {
			text, _ := strconv.Unquote(literal.Value)
			all = append(all, strings.TrimSpace(text))
		}
	}
	return all
}
