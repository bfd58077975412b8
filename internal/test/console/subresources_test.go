package console_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
)

// A Robot has actions, a log and a shell.
type Robot struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`

	Spec RobotSpec `json:"spec"`
}

type RobotSpec struct {
	Speed int32 `json:"speed,omitempty" api:"default=1,min=0,max=9"`
}

// A Greeting is the body and the answer of the action greet.
type Greeting struct {
	apimeta.TypeMeta `json:",inline"`

	Whom   string `json:"whom" api:"minLength=2,doc='Whom the robot greets.'"`
	Spoken string `json:"spoken,omitempty"`
}

// A Launch is the body of an action that has effects outside of the API.
type Launch struct {
	apimeta.TypeMeta `json:",inline"`
}

type RobotLogOptions struct {
	Follow    bool  `json:"follow,omitempty" api:"doc='Whether the log goes on.'"`
	TailLines int32 `json:"tailLines,omitempty" api:"min=0"`
}

type RobotExecOptions struct {
	Command []string `json:"command,omitempty"`
}

const robots = "/apis/example.com/v1/namespaces/default/robots"

// robotics serves robots. The log of each goes on with the lines of the channel.
func robotics(t *testing.T, more <-chan string) (url string, launches *int) {
	t.Helper()
	launches = new(int)
	greet := rest.Subresource[Robot, Greeting]{Name: "greet"}
	greet.Create = func(_ context.Context, _ *Robot, g *Greeting) (*Greeting, error) {
		return &Greeting{Whom: g.Whom, Spoken: "Hello, " + g.Whom}, nil
	}
	greet.CreateDryRun = greet.Create
	launch := rest.Subresource[Robot, Launch]{Name: "launch",
		Create: func(context.Context, *Robot, *Launch) (*Launch, error) {
			*launches++
			return nil, nil
		}}
	logs := rest.Stream[Robot, RobotLogOptions]{Name: "log",
		Output: func(ctx context.Context, robot *Robot, o *RobotLogOptions, out io.Writer) error {
			_, _ = fmt.Fprintf(out, "\x1b[31m%s begins\x1b[0m, at most %d lines\n", robot.Name, o.TailLines)
			for o.Follow {
				select {
				case line := <-more:
					_, _ = fmt.Fprintln(out, line)
				case <-ctx.Done():
					return nil
				}
			}
			return nil
		}}
	shell := rest.Stream[Robot, RobotExecOptions]{Name: "exec",
		Session: func(_ context.Context, robot *Robot, o *RobotExecOptions, s *rest.Session) error {
			size := <-s.Resize
			_, _ = fmt.Fprintf(s.Stdout, "\x1b[38;2;255;0;0m%s\x1b[0m runs %s, wide %t\r\n", robot.Name,
				strings.Join(o.Command, "+"), size.Width > 40)
			for in := bufio.NewReader(s.Stdin); ; {
				key, err := in.ReadByte()
				if err != nil {
					return nil
				}
				if key == 'q' {
					return status.NonZeroExit(3)
				}
				_, _ = fmt.Fprintf(s.Stdout, "<%c>", key)
			}
		}}
	api, err := rest.New(rest.Options{}, rest.Resource[Robot]{Group: "example.com", Version: "v1", Plural: "robots",
		Subresources: []rest.SubresourceOf[Robot]{greet, launch, logs, shell}})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, api.Close()) })
	client, err := rest.ClientForType[Robot](api)
	require.NoError(t, err)
	_, err = client.Namespace("default").Create(t.Context(), &Robot{ObjectMeta: apimeta.ObjectMeta{Name: "r2"}})
	require.NoError(t, err)
	return serve(t, api), launches
}

// An action has a form of its schema, and runs once it has been tried.
func TestAction(t *testing.T) {
	url, launches := robotics(t, nil)
	p := openPage(t, url)
	p.open("#" + robots + "/r2?tab=subresources")
	p.clickText(".subresources button[aria-label='Run greet']", "Run")
	p.awaitText(".form .hint", "Whom the robot greets.")
	p.fill(`[id="field-whom"]`, "x")
	p.clickText(".edit button", "Review")
	p.awaitText(".failure", "422")
	p.fill(`[id="field-whom"]`, "Ada")
	p.clickText(".edit button", "Review")
	p.awaitText(".difference ins", "spoken: Hello, Ada")
	p.clickText("dialog button", "Run")
	p.awaitText(".subresources pre", "spoken: Hello, Ada")

	p.clickText(".subresources button[aria-label='Run launch']", "Run")
	p.clickText(".edit button", "Review")
	p.awaitText("dialog .note", "The API cannot try this before it happens.")
	assert.Zero(t, *launches)
	p.clickText("dialog button", "Run")
	p.awaitText(".subresources pre", "Success")
	assert.Equal(t, 1, *launches)
}

func TestLog(t *testing.T) {
	more := make(chan string)
	url, _ := robotics(t, more)
	p := openPage(t, url)
	p.open("#" + robots + "/r2?tab=subresources")
	p.clickText(".subresources button[aria-label='Open log']", "Open")
	p.await("document.querySelector('.stream .flag input').checked")
	p.fill("[aria-label=tailLines]", "7")
	p.awaitText(".log-line", "r2 begins, at most 7 lines")
	more <- "first <b>line</b>"
	more <- "second \u202eline"
	p.awaitText(".log-line", "first <b>line</b>")
	p.awaitText(".log-line", "second \ufffdline")
	p.fill("[aria-label='Filter the lines']", "second")
	p.awaitNoText(".log-line", "first")
	p.awaitText(".stream [role=status]", "1 lines · open")
	p.run("document.querySelector('.stream .flag input').click()")
	p.clickText(".stream button", "Open again")
	p.awaitText(".stream [role=status]", "the stream has ended")
}

// The page shows the output of a log or a command as text, whatever escapes and tags it contains.
func TestHostileOutput(t *testing.T) {
	more := make(chan string)
	url, _ := robotics(t, more)
	p := openPage(t, url)
	p.open("#" + robots + "/r2?tab=subresources")
	p.clickText(".subresources button[aria-label='Open log']", "Open")
	p.clickText(".stream button", "Open")
	p.awaitText(".log-line", "r2 begins")
	more <- markup + "\x1b]8;;javascript:window.ran=8\x07link\x1b]8;;\x07"
	p.awaitText(".log-line", markup)
	p.clickText(".subresources button[aria-label='Open exec']", "Open")
	p.fill("[aria-label=command]", markup+"\x1b]8;;javascript:window.ran=9\x07link\x1b]8;;\x07\x1b]52;c;c3RvbGVu\x07")
	p.awaitText(".xterm-rows", "onerror")
	assertNoMarkup(t, p)
	assert.Zero(t, eval[int](p, "document.querySelectorAll('.stream a').length"))
}

func TestTerminal(t *testing.T) {
	url, _ := robotics(t, nil)
	p := openPage(t, url)
	p.open("#" + robots + "/r2?tab=subresources")
	p.clickText(".subresources button[aria-label='Open exec']", "Open")
	p.fill("[aria-label=command]", "sh -i")
	p.awaitText(".xterm-rows", "r2 runs sh+-i, wide true")
	assert.Equal(t, "rgb(255, 0, 0)", eval[string](p,
		"getComputedStyle([...document.querySelectorAll('.xterm-rows span')].find((e) => e.textContent === 'r2')).color"),
		"colours need no inline styles")
	p.press("ab")
	p.awaitText(".xterm-rows", "<a><b>")
	p.press("q")
	p.awaitText(".stream [role=status]", "exit status 3")
}
