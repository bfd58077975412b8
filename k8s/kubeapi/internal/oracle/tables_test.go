package oracle

import (
	"bufio"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the tables into the README of kubeapi")

// checkTable checks that the README of the module shows a table, which these arguments of go test update.
func checkTable(t *testing.T, name, arguments, table string) {
	t.Helper()
	require.NoError(t, showTable(name, arguments, table))
}

func showTable(name, arguments, table string) error {
	const page = "../../README.md"
	command := "go -C k8s/kubeapi/internal/oracle test . " + arguments + " -update"
	begin, end := "<!-- "+name+": "+command+" -->\n", "<!-- end of "+name+" -->\n"
	data, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	before, rest, begins := strings.Cut(string(data), begin)
	written, after, ends := strings.Cut(rest, end)
	switch {
	case !begins || !ends:
		return fmt.Errorf("the README has no place for the table %q", begin)
	case *update:
		return os.WriteFile(page, []byte(before+begin+table+end+after), 0o644)
	case written != table:
		return fmt.Errorf("run %s. The README should have:\n%s", command, table)
	}
	return nil
}

// covered counts the statements of a package, and those that the tests have reached.
type covered struct{ all, reached int }

// reportCoverage writes the share of the statements of Kubernetes' validation that the tests have reached into the
// README of the module, if go test counts them. The profile has a line for each block:
// FILE:LINE.COLUMN,LINE.COLUMN STATEMENTS COUNT.
func reportCoverage() error {
	profile := flag.Lookup("test.coverprofile").Value.String()
	if profile == "" {
		return nil
	}
	f, err := os.Open(profile)
	if err != nil {
		return err
	}
	defer f.Close()
	packages := map[string]covered{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		file, block, _ := strings.Cut(lines.Text(), ":")
		var where string
		var statements, count int
		if n, _ := fmt.Sscanf(block, "%s %d %d", &where, &statements, &count); n < 3 {
			continue // the mode, in the first line
		}
		name := strings.TrimPrefix(file[:strings.LastIndexByte(file, '/')], "k8s.io/kubernetes/pkg/apis/")
		c := packages[name]
		c.all += statements
		if count > 0 {
			c.reached += statements
		}
		packages[name] = c
	}
	var table strings.Builder
	table.WriteString("| package of Kubernetes | statements | reached |\n| --- | --- | --- |\n")
	for _, name := range slices.Sorted(maps.Keys(packages)) {
		c := packages[name]
		if c.reached == 0 {
			continue // no example is of a kind of this group
		}
		fmt.Fprintf(&table, "| `%s` | %d | %.0f %% |\n", name, c.all, 100*float64(c.reached)/float64(c.all))
	}
	fmt.Print(table.String())
	return showTable("coverage", "-run '^(TestRefusals|TestValidation)$' "+
		"-coverpkg=k8s.io/kubernetes/pkg/apis/.../validation -coverprofile=/tmp/validation.out", table.String())
}
