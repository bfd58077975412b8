package e2e_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/decorum-go/decorum/internal/test/pagetest"
)

// programs is the directory into which TestMain builds the kubectls and the hosts.
var programs string

// latest is the kubectl of the release that the library follows.
var latest = &kubectl{module: ".", pkg: "./cmd/kubectl"}

// kubectls are the kubectls under test: the newest or, with DECORUM_KUBECTLS=older, those of older releases, which take
// minutes to build. TestMain sets the fields that follow from their modules.
var kubectls = underTest()

// withOlder is true if the older releases are under test.
var withOlder = os.Getenv("DECORUM_KUBECTLS") == "older"

func underTest() []*kubectl {
	if withOlder {
		return []*kubectl{{module: "kubectl-1.33", pkg: "."}, {module: "kubectl-1.30", pkg: "."}}
	}
	return []*kubectl{latest}
}

// kubectl is a release of kubectl.
type kubectl struct {
	module, pkg string
	version     string // such as v1.33.13
	minor       int    // minor version, which decides what the release supports
	program     string
}

// newest returns the kubectl for tests that need only one, whichever are under test.
func newest() *kubectl { return latest }

func TestMain(m *testing.M) {
	os.Exit(buildAndRun(m))
}

func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "decorum-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	if err := buildPrograms(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	programs = dir
	return m.Run()
}

func buildPrograms(dir string) error {
	for _, k := range append(kubectls, latest) {
		if k.program != "" {
			continue
		}
		if err := k.build(dir); err != nil {
			return err
		}
	}
	for _, own := range []string{"conformhost", "smallhost", "streamhost"} {
		if err := pagetest.Build(filepath.Join(dir, own), ".", "./cmd/"+own); err != nil {
			return err
		}
	}
	// kubeapi is built in its own module, with its versions of the dependencies.
	if err := pagetest.Build(filepath.Join(dir, "kubeapi"), filepath.Join("..", "..", "..", "k8s", "kubeapi"), "."); err != nil {
		return err
	}
	// The examples are built in the library's module.
	library := filepath.Join("..", "..", "..")
	for _, example := range []string{"quickstart", "embed", "warehouse", "platform", "platform/teams"} {
		if err := pagetest.Build(filepath.Join(dir, filepath.Base(example)), library, "./examples/"+example); err != nil {
			return err
		}
	}
	return nil
}

// build builds the program and sets its version: the module v0.33.13 is kubectl v1.33.13. kubectl does not know its
// version unless the linker sets it.
func (k *kubectl) build(dir string) error {
	list := exec.Command("go", "list", "-m", "-f", "{{.Version}}", "k8s.io/kubectl")
	list.Dir = k.module
	module, err := list.Output()
	if err != nil {
		return fmt.Errorf("find the kubectl version in %s/go.mod: %w", k.module, err)
	}
	numbers := strings.Split(strings.TrimSpace(string(module)), ".")
	if len(numbers) != 3 || numbers[0] != "v0" {
		return fmt.Errorf("%s/go.mod requires kubectl %s, which is not a release", k.module, module)
	}
	if k.minor, err = strconv.Atoi(numbers[1]); err != nil {
		return err
	}
	k.version = "v1." + numbers[1] + "." + numbers[2]
	k.program = filepath.Join(dir, "kubectl-"+k.version)
	if k == latest { // it stays there for the tests of the pages
		if k.program, err = filepath.Abs(filepath.Join("..", "..", "..", ".cache", "kubectl-"+k.version)); err != nil {
			return err
		}
	}
	return pagetest.Build(k.program, k.module, k.pkg, "-ldflags=-s -w -X k8s.io/component-base/version.gitVersion="+k.version)
}
