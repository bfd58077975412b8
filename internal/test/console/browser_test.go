package console_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/tracing"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/internal/test/hangtest"
)

// patience bounds each wait for the page. It is long, because the machine may be busy.
const patience = hangtest.Deadline

// A page is one tab of the browser.
type page struct {
	t      testing.TB
	ctx    context.Context
	url    string // the URL of the console
	mutex  sync.Mutex
	faults []string
	trace  [][]byte      // what the browser has recorded
	traced chan struct{} // closed when all is in trace
}

var browser struct {
	once sync.Once
	ctx  context.Context
	stop []context.CancelFunc
	err  error
}

func TestMain(m *testing.M) {
	code := m.Run()
	for i := len(browser.stop) - 1; i >= 0; i-- {
		browser.stop[i]()
	}
	endPrograms()
	os.Exit(code)
}

// openPage opens the console at url in a new tab of 1280 by 800 pixels. The test fails if the page throws an error,
// breaks its policy for content, or logs an error other than the answers of the API.
func openPage(t testing.TB, url string) *page {
	t.Helper()
	path := browserPath()
	if path == "" {
		// A contributor may have no browser. CI installs Chromium.
		t.Skip("NOT RUN: no browser. On Debian, apt-get install chromium; elsewhere set CHROMIUM to the path of Chromium or Chrome.")
	}
	browser.once.Do(func() { startBrowser(t, path) })
	require.NoError(t, browser.err)
	p := &page{t: t, url: url + "/console/"}
	ctx, cancel := chromedp.NewContext(browser.ctx, chromedp.WithListener(p.listen))
	t.Cleanup(cancel)
	p.ctx = ctx
	t.Cleanup(func() {
		p.mutex.Lock()
		defer p.mutex.Unlock()
		for _, fault := range p.faults {
			t.Error(fault)
		}
	})
	require.NoError(t, chromedp.Do(ctx), "the first use of a tab opens it, and has no time limit of its own")
	p.do(command(log.Enable, cdp.Empty{}), chromedp.EmulateViewport(1280, 800), chromedp.Navigate(p.url))
	return p
}

func browserPath() string {
	for _, name := range []string{os.Getenv("CHROMIUM"), "chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); name != "" && err == nil {
			return path
		}
	}
	return ""
}

func startBrowser(t testing.TB, path string) {
	options := []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(path), chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck, chromedp.Headless, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true),
		chromedp.Flag("hide-scrollbars", true),
		chromedp.Flag("disable-dev-shm-usage", true), chromedp.Flag("enable-precise-memory-info", true),
		chromedp.Flag("ignore-certificate-errors", true), // the certificates of the examples are their own
		chromedp.WSURLReadTimeout(patience),
	}
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // Chromium's sandbox refuses root
	}
	allocator, stop := chromedp.NewExecAllocator(context.WithoutCancel(t.Context()), options...)
	ctx, cancel := chromedp.NewContext(allocator)
	browser.ctx, browser.stop, browser.err = ctx, []context.CancelFunc{stop, cancel}, chromedp.Do(ctx)
}

func (p *page) listen(event any) {
	fault := ""
	switch e := event.(type) {
	case *tracing.EventDataCollected:
		p.mutex.Lock()
		for _, value := range e.Value {
			p.trace = append(p.trace, value)
		}
		p.mutex.Unlock()
	case *tracing.EventTracingComplete:
		close(p.traced)
	case *runtime.EventExceptionThrown:
		fault = fmt.Sprintf("the page throws: %+v", e.ExceptionDetails)
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError && e.Entry.Source != log.EntrySourceNetwork {
			fault = "the page logs: " + e.Entry.Text
		}
	}
	if fault != "" {
		p.mutex.Lock()
		p.faults = append(p.faults, fault)
		p.mutex.Unlock()
	}
}

// forgive forgets the faults that contain one of the words: a test caused them.
func (p *page) forgive(words ...string) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.faults = slices.DeleteFunc(p.faults, func(fault string) bool {
		return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(fault, word) })
	})
}

func (p *page) do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	require.NoError(p.t, chromedp.Do(ctx, steps...))
}

// command returns a step that sends a command of the browser's protocol.
func command[P, R any](c cdp.Command[P, R], parameters P) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, c, parameters)
		return err
	})
}

// open shows the view of an address, such as "#/api/v1/pods".
func (p *page) open(address string) {
	p.t.Helper()
	p.run("location.hash = " + quote(address))
}

// run runs statements of JavaScript.
func (p *page) run(statements string) {
	p.t.Helper()
	eval[bool](p, "(() => {"+statements+"; return true })()")
}

// eval computes an expression of JavaScript, which may be a promise.
func eval[T any](p *page, expression string) T {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	require.NoError(p.t, err, expression)
	return value
}

// await waits until an expression of JavaScript is true. An expression about an element that is not in the page yet
// throws a TypeError, and is not true yet either. await cannot use chromedp.Poll, which needs eval, and the page's
// policy forbids that.
func (p *page) await(expression string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	wait := "new Promise((done, fail) => { const look = () => {" +
		" try { if (" + expression + ") return done(true) } catch (e) { if (!(e instanceof TypeError)) return fail(e) }" +
		" setTimeout(look, 20) }; look() })"
	_, err := chromedp.Run(ctx, chromedp.Evaluate[bool](wait, chromedp.EvalAwaitPromise))
	for err != nil && ctx.Err() == nil && strings.Contains(err.Error(), "navigated") { // the next page waits for it too
		_, err = chromedp.Run(ctx, chromedp.Evaluate[bool](wait, chromedp.EvalAwaitPromise))
	}
	if err != nil {
		seen, _ := chromedp.Run(p.ctx, chromedp.Evaluate[string]("location.hash + '\\n' + document.body.innerText"))
		p.t.Fatalf("never true: %s: %v; the page shows:\n%s", expression, err, seen)
	}
}

// awaitText waits until an element that the selector finds has the text.
func (p *page) awaitText(selector, text string) {
	p.t.Helper()
	p.await(fmt.Sprintf("[...document.querySelectorAll(%s)].some((e) => e.textContent.includes(%s))", quote(selector),
		quote(text)))
}

// awaitNoText waits until no element that the selector finds has the text.
func (p *page) awaitNoText(selector, text string) {
	p.t.Helper()
	p.await(fmt.Sprintf("![...document.querySelectorAll(%s)].some((e) => e.textContent.includes(%s))", quote(selector),
		quote(text)))
}

// texts returns the texts of the elements that the selector finds.
func (p *page) texts(selector string) []string {
	p.t.Helper()
	return eval[[]string](p, fmt.Sprintf("[...document.querySelectorAll(%s)].map((e) => e.textContent)", quote(selector)))
}

// press types keys as a person does.
func (p *page) press(keys string) {
	p.t.Helper()
	p.do(chromedp.KeyEvent(keys))
}

// shortcut presses a key that writes a character. Unlike press, the browser decides whether the character is written,
// as for a person.
func (p *page) shortcut(key string) {
	p.t.Helper()
	p.do(
		command(input.DispatchKeyEvent,
			input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyDown, Key: key, Text: key}),
		command(input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyUp, Key: key}))
}

// hide tells the page that nobody sees it, or that somebody does again.
func (p *page) hide(hidden bool) {
	p.t.Helper()
	p.run(fmt.Sprintf("Object.defineProperty(document, 'hidden', { configurable: true, value: %t });"+
		"document.dispatchEvent(new Event('visibilitychange'))", hidden))
}

// clickText clicks the first element that the selector finds and that has the text, once it is not disabled.
func (p *page) clickText(selector, text string) {
	p.t.Helper()
	found := fmt.Sprintf("[...document.querySelectorAll(%s)].find((e) => e.textContent.includes(%s))", quote(selector),
		quote(text))
	p.await(found + "?.disabled === false || " + found + " && !('disabled' in " + found + ")")
	p.run(found + ".click()")
}

// fill types a text into a field and confirms it.
func (p *page) fill(selector, text string) {
	p.t.Helper()
	p.await("document.querySelector(" + quote(selector) + ")?.checkVisibility()")
	p.run(fmt.Sprintf("const e = document.querySelector(%s); e.focus(); e.select()", quote(selector)))
	if text == "" {
		text = kb.Backspace
	}
	p.press(text)
	p.press(kb.Enter)
}

// click clicks as a person does, which the browser tells from a click of a script.
func (p *page) click(selector string) {
	p.t.Helper()
	p.await("document.querySelector(" + quote(selector) + ")?.checkVisibility()")
	p.do(chromedp.Click(selector))
}

// choose chooses an option of a field.
func (p *page) choose(selector, option string) {
	p.t.Helper()
	p.await("document.querySelector(" + quote(selector) + ")")
	p.run(fmt.Sprintf("const e = document.querySelector(%s); e.value = %s; e.dispatchEvent(new Event('change', { bubbles: true }))",
		quote(selector), quote(option)))
}

// awaitAddress waits until the address of the view has all parts.
func (p *page) awaitAddress(parts ...string) {
	p.t.Helper()
	for _, part := range parts {
		p.await("decodeURIComponent(location.hash).includes(" + quote(part) + ")")
	}
}

func (p *page) show(theme string, width, height int64) {
	p.t.Helper()
	feature := &emulation.MediaFeature{Name: "prefers-color-scheme", Value: theme}
	media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{feature}}
	p.do(command(emulation.SetEmulatedMedia, media), chromedp.EmulateViewport(width, height))
}

func quote(text string) string {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return strings.ReplaceAll(string(quoted), "\u2028", `\u2028`)
}
