package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"text/template"
	"time"
)

// form is what a program does with its kinds.
type form struct {
	name              string
	Declared, Clients bool
}

var forms = []form{{name: "structs"}, {name: "declarations", Declared: true},
	{name: "declarations and clients", Declared: true, Clients: true}}

// host is the module of a program.
type host struct{ dir string }

// cost is what a host pays for its kinds.
type cost struct {
	bytes     int64
	compiling time.Duration
}

// newHost writes the module of a program with n kinds, which uses the library in another directory.
func newHost(dir, library string, f form, n int) (*host, error) {
	h := &host{dir: filepath.Join(dir, fmt.Sprintf("%s-%d", strings.ReplaceAll(f.name, " ", "-"), n))}
	if err := os.MkdirAll(filepath.Join(h.dir, "kinds"), 0o755); err != nil {
		return nil, err
	}
	mod, err := os.ReadFile(filepath.Join(library, "go.mod"))
	if err != nil {
		return nil, err
	}
	name, rest, _ := strings.Cut(strings.TrimPrefix(string(mod), "module "), "\n")
	sums, err := os.ReadFile(filepath.Join(library, "go.sum"))
	if err != nil {
		return nil, err
	}
	var kinds strings.Builder
	if err := kindsFile.Execute(&kinds, map[string]any{"Form": f, "N": make([]struct{}, n)}); err != nil {
		return nil, err
	}
	var program strings.Builder
	if err := mainFile.Execute(&program, f); err != nil {
		return nil, err
	}
	for file, text := range map[string]string{
		"go.mod": "module kinds.example.com\n" + rest +
			fmt.Sprintf("\nrequire %s v0.0.0\n\nreplace %s => %s\n", name, name, library),
		"go.sum":         string(sums),
		"main.go":        program.String(),
		"kinds/kinds.go": kinds.String(),
	} {
		if err := os.WriteFile(filepath.Join(h.dir, file), []byte(text), 0o644); err != nil {
			return nil, err
		}
	}
	return h, nil
}

// measure builds the program, and then compiles the package of the kinds several times. The least time counts, because
// other processes only add to it.
func (h *host) measure(rounds int) (c cost, err error) {
	program := filepath.Join(h.dir, "program")
	if _, err := h.build("-trimpath", "-ldflags=-s -w", "-o", program, "."); err != nil {
		return c, err
	}
	info, err := os.Stat(program)
	if err != nil {
		return c, err
	}
	c.bytes = info.Size()
	for round := range rounds {
		salt := fmt.Sprintf("package kinds\n\nconst _ = %d\n", time.Now().UnixNano())
		if err := os.WriteFile(filepath.Join(h.dir, "kinds", "salt.go"), []byte(salt), 0o644); err != nil {
			return c, err
		}
		took, err := h.build("-trimpath", "./kinds")
		if err != nil {
			return c, err
		}
		if round == 0 || took < c.compiling {
			c.compiling = took
		}
	}
	return c, nil
}

// build runs go build and returns the processor time that it took.
func (h *host) build(args ...string) (time.Duration, error) {
	cmd := exec.Command("go", append([]string{"build"}, args...)...)
	cmd.Dir = h.dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("go build: %w\n%s", err, out)
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), nil
}

var kindsFile = template.Must(template.New("kinds").Parse(`// Package kinds has the kinds of a host.
package kinds

import (
	"context"
	"encoding/json"

	"github.com/decorum-go/decorum/apimeta"
{{- if .Form.Declared}}
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
{{- end}}
)
{{range $i, $_ := .N}}
// Kind{{$i}} is a kind.
type Kind{{$i}} struct {
	apimeta.TypeMeta   ` + "`json:\",inline\"`" + `
	apimeta.ObjectMeta ` + "`json:\"metadata,omitempty\"`" + `
	Spec   Kind{{$i}}Spec   ` + "`json:\"spec\"`" + `
	Status Kind{{$i}}Status ` + "`json:\"status,omitzero\"`" + `
}

// Kind{{$i}}Spec is what a user wants.
type Kind{{$i}}Spec struct {
	Size{{$i}} int32    ` + "`json:\"size\"`" + `
	Color      string   ` + "`json:\"color,omitempty\"`" + `
	Parts      []string ` + "`json:\"parts,omitempty\"`" + `
}

// Kind{{$i}}Status is what is the case.
type Kind{{$i}}Status struct {
	Ready{{$i}} bool ` + "`json:\"ready,omitempty\"`" + `
}
{{if $.Form.Declared}}
func resource{{$i}}() rest.Definition {
	return rest.Resource[Kind{{$i}}]{
		Group: "example.com", Version: "v1", Plural: "kind{{$i}}s",
		Columns: []rest.Column{{"{{"}}Name: "Size", Path: ".spec.size"{{"}}"}},
		Hooks: rest.Hooks[Kind{{$i}}]{Validate: validate{{$i}}},
	}
}

func validate{{$i}}(ctx context.Context, obj, old *Kind{{$i}}) (status.FieldErrors, error) { return nil, nil }
{{else}}
func use{{$i}}(ctx context.Context) error {
	obj := new(Kind{{$i}})
	text, err := json.Marshal(obj)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, obj)
}
{{end}}
{{- if $.Form.Clients}}
func use{{$i}}(ctx context.Context, api *rest.API) error {
	all, err := rest.ClientForType[Kind{{$i}}](api)
	if err != nil {
		return err
	}
	c := all.Namespace("default").FieldManager("kinds")
	obj, err := c.Create(ctx, new(Kind{{$i}}))
	if err != nil {
		return err
	}
	if obj, err = c.Get(ctx, obj.Name); err != nil {
		return err
	}
	if _, err = c.Update(ctx, obj); err != nil {
		return err
	}
	if _, err = c.Modify(ctx, obj.Name, func(obj *Kind{{$i}}) error { obj.Spec.Size{{$i}}++; return nil }); err != nil {
		return err
	}
	if _, err = c.ModifyStatus(ctx, obj.Name, func(obj *Kind{{$i}}) error { obj.Status.Ready{{$i}} = true; return nil }); err != nil {
		return err
	}
	if _, err = c.Apply(ctx, obj.Name, obj, apimeta.ApplyOptions{}); err != nil {
		return err
	}
	if _, err = c.List(ctx, rest.ListOptions{}); err != nil {
		return err
	}
	for e, err := range c.Follow(ctx, rest.WatchOptions{}) {
		if err != nil || e.Object.Status.Ready{{$i}} {
			break
		}
	}
	return c.Delete(ctx, obj.Name, rest.DeleteOptions{})
}
{{end}}
{{- end}}
{{if .Form.Declared}}
// Kinds returns the declarations.
func Kinds() []rest.Definition {
	return []rest.Definition{ {{- range $i, $_ := .N}}resource{{$i}}(), {{end -}} }
}
{{end}}
{{if .Form.Clients}}
// Use calls the clients.
func Use(ctx context.Context, api *rest.API) error {
	for _, use := range []func(context.Context, *rest.API) error{ {{- range $i, $_ := .N}}use{{$i}}, {{end -}} } {
		if err := use(ctx, api); err != nil {
			return err
		}
	}
	return nil
}
{{end}}
{{if not .Form.Declared}}
// Use passes the structs through JSON.
func Use(ctx context.Context) error {
	for _, use := range []func(context.Context) error{ {{- range $i, $_ := .N}}use{{$i}}, {{end -}} } {
		if err := use(ctx); err != nil {
			return err
		}
	}
	return nil
}
{{end}}
var _ = json.Valid
`))

var mainFile = template.Must(template.New("main").Parse(`package main

import (
	"context"
	"log"
	"net/http"
{{if .Declared}}
	"github.com/decorum-go/decorum/rest"
{{end}}
	"kinds.example.com/kinds"
)

func main() {
{{- if .Declared}}
	api, err := rest.New(rest.Options{}, kinds.Kinds()...)
	if err != nil {
		log.Fatal(err)
	}
{{- if .Clients}}
	if err := kinds.Use(context.Background(), api); err != nil {
		log.Fatal(err)
	}
{{- else}}
	_ = context.Background()
{{- end}}
	log.Fatal(http.ListenAndServe("127.0.0.1:8080", api))
{{- else}}
	if err := kinds.Use(context.Background()); err != nil {
		log.Fatal(err)
	}
	log.Fatal(http.ListenAndServe("127.0.0.1:8080", nil))
{{- end}}
}
`))
