package console_test

import (
	"encoding/json"
	"fmt"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/tracing"
	"github.com/stretchr/testify/require"
)

// busy are the tasks of the main thread of a page.
type busy struct {
	// over50 counts the tasks above 50 ms of processor time, and longest is the longest one in milliseconds. The time
	// during which another program has the processor is not counted, so a busy machine does not matter.
	over50  int
	longest float64
	tasks   int
	// longestByClock is the longest task with all time that it lasted.
	longestByClock float64
}

func (b busy) String() string {
	return fmt.Sprintf("%d tasks, %d over 50 ms of processor time, the longest %.0f ms (by the clock %.0f ms)", b.tasks,
		b.over50, b.longest, b.longestByClock)
}

// traceTasks begins to record the tasks of the page. The function that it returns ends the recording.
func (p *page) traceTasks() func() busy {
	p.t.Helper()
	p.traced = make(chan struct{})
	config := &tracing.TraceConfig{IncludedCategories: []string{"disabled-by-default-devtools.timeline", "__metadata"},
		ExcludedCategories: []string{"*"}}
	p.do(command(tracing.Start, tracing.StartParams{TransferMode: tracing.StartTransferModeReportEvents,
		TraceConfig: config}))
	return func() busy {
		p.t.Helper()
		p.do(command(tracing.End, cdp.Empty{}))
		select {
		case <-p.traced:
		case <-p.ctx.Done():
		}
		p.mutex.Lock()
		defer p.mutex.Unlock()
		return tasksOf(p)
	}
}

// tasksOf sums up the recorded tasks of the main threads of renderers.
func tasksOf(p *page) (b busy) {
	p.t.Helper()
	type thread struct{ process, thread int64 }
	type event struct {
		Name    string  `json:"name"`
		Process int64   `json:"pid"`
		Thread  int64   `json:"tid"`
		CPU     float64 `json:"tdur"`
		Clock   float64 `json:"dur"`
		Args    struct {
			Name string `json:"name"`
		} `json:"args"`
	}
	var tasks []event
	main := map[thread]bool{}
	for _, raw := range p.trace {
		var e event
		if json.Unmarshal(raw, &e) != nil {
			continue // other events have other arguments
		}
		switch e.Name {
		case "thread_name":
			main[thread{e.Process, e.Thread}] = e.Args.Name == "CrRendererMain"
		case "RunTask":
			tasks = append(tasks, e)
		}
	}
	for _, e := range tasks {
		if !main[thread{e.Process, e.Thread}] {
			continue
		}
		b.tasks++
		milliseconds := e.CPU / 1000
		b.longest = max(b.longest, milliseconds)
		b.longestByClock = max(b.longestByClock, e.Clock/1000)
		if milliseconds > 50 {
			b.over50++
		}
	}
	require.NotZero(p.t, b.tasks, "the browser recorded no task")
	require.NotZero(p.t, b.longest, "the browser did not measure the time of the processor")
	return b
}
