package rest_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
)

// Job is a kind whose objects have a log.
type Job struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
}

// JobLogOptions are the parameters of …/jobs/NAME/log.
type JobLogOptions struct {
	TailLines *int `json:"tailLines,omitempty" api:"min=0"`
}

// The log of an object, as `curl` reads it and, for pods, `kubectl logs --tail=1`.
func ExampleStream() {
	logs := map[string][]string{"nightly": {"started", "copied 12 files", "done"}}
	jobs := rest.Resource[Job]{
		Group: "example.com", Version: "v1", Plural: "jobs",
		Subresources: []rest.SubresourceOf[Job]{
			rest.Stream[Job, JobLogOptions]{
				Name: "log",
				Output: func(_ context.Context, job *Job, o *JobLogOptions, out io.Writer) error {
					lines, ok := logs[job.Name]
					if !ok {
						return status.BadRequest("the job has not begun")
					}
					if o.TailLines != nil && *o.TailLines < len(lines) {
						lines = lines[len(lines)-*o.TailLines:]
					}
					_, err := fmt.Fprintln(out, strings.Join(lines, "\n"))
					return err
				},
			},
		},
	}
	api, err := rest.New(rest.Options{}, jobs)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer api.Close()
	ctx := context.Background()
	jobClient, err := rest.ClientForType[Job](api)
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := jobClient.Namespace("default").Create(ctx,
		&Job{ObjectMeta: apimeta.ObjectMeta{Name: "nightly"}}); err != nil {
		fmt.Println(err)
		return
	}

	client := http.Client{Transport: rest.RoundTripper(api)}
	response, err := client.Get("http://host/apis/example.com/v1/namespaces/default/jobs/nightly/log?tailLines=2")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer response.Body.Close()
	_, _ = io.Copy(os.Stdout, response.Body)
	// Output:
	// copied 12 files
	// done
}
