//go:build unix

package growth_test

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// table returns the figures as a table in Markdown: each cost, and what it is beside the first one.
func (f *figures) table() string {
	var b strings.Builder
	fmt.Fprintf(&b, "| %s |", f.of)
	for _, c := range f.curves {
		fmt.Fprintf(&b, " %s |", c.name)
	}
	b.WriteString("\n|" + strings.Repeat(" --- |", 1+len(f.curves)) + "\n")
	for i, n := range f.at {
		fmt.Fprintf(&b, "| %s |", grouped(n))
		for _, c := range f.curves {
			fmt.Fprintf(&b, " %.1f %s, %.2f |", c.costs[i], f.unit, c.costs[i]/c.costs[0])
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// shown returns a cost as the plot shows it.
func (f *figures) shown(c curve, i int) float64 {
	if f.absolute {
		return c.costs[i]
	}
	return c.costs[i] / c.costs[0]
}

// misses returns a line for each curve that misses the aim.
func (f *figures) misses() string {
	var b strings.Builder
	for _, c := range f.curves[:f.aimed] {
		for i, n := range f.at {
			if cost := f.shown(c, i); cost > f.aim {
				fmt.Fprintf(&b, "%s misses the aim of %v at %s: %.2f\n", c.name, f.aim, grouped(n), cost)
			}
		}
	}
	return b.String()
}

// grouped writes a number with commas.
func grouped(n int) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// The size of a plot, and where its axes are.
const (
	width, height            = 800, 360
	left, right, top, bottom = 60, 460, 20, 310
)

var colors = []string{"#1f77b4", "#d62728", "#2ca02c", "#9467bd"}

// plot draws the costs as SVG.
func (f *figures) plot() []byte {
	legend := "cost beside that of " + grouped(f.at[0])
	if f.absolute {
		legend = f.unit
	}
	highest := 2.0
	for _, c := range f.curves {
		for i := range c.costs {
			highest = max(highest, math.Ceil(f.shown(c, i)))
		}
	}
	scale := math.Log
	if f.linear {
		scale = func(n float64) float64 { return n }
	}
	first, last := scale(float64(f.at[0])), scale(float64(f.at[len(f.at)-1]))
	x := func(n int) float64 { return left + (right-left)*(scale(float64(n))-first)/(last-first) }
	y := func(cost float64) float64 { return bottom - (bottom-top)*cost/highest }

	var b strings.Builder
	text := func(x, y float64, anchor, content string) {
		fmt.Fprintf(&b, `<text x="%.1f" y="%.1f" text-anchor="%s">`, x, y, anchor)
		_ = xml.EscapeText(&b, []byte(content)) // a Builder never fails
		b.WriteString("</text>\n")
	}
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="12">`+"\n", width, height)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="white"/>`+"\n", width, height)
	for i := range 5 {
		cost := highest * float64(i) / 4
		fmt.Fprintf(&b, `<line x1="%d" y1="%.1f" x2="%d" y2="%.1f" stroke="#cccccc"/>`+"\n", left, y(cost), right, y(cost))
		text(left-8, y(cost)+4, "end", fmt.Sprintf("%.3g", cost))
	}
	for _, n := range f.at {
		text(x(n), bottom+18, "middle", grouped(n))
	}
	text((left+right)/2, bottom+40, "middle", f.of)
	text(right+20, top, "start", legend)
	for i, c := range f.curves {
		color := colors[i%len(colors)]
		var points []string
		for j, n := range f.at {
			points = append(points, fmt.Sprintf("%.1f,%.1f", x(n), y(f.shown(c, j))))
		}
		fmt.Fprintf(&b, `<polyline points="%s" fill="none" stroke="%s" stroke-width="2"/>`+"\n", strings.Join(points, " "),
			color)
		fmt.Fprintf(&b, `<rect x="%d" y="%d" width="12" height="12" fill="%s"/>`+"\n", right+20, top+16+22*i, color)
		text(right+38, float64(top+26+22*i), "start", c.name)
	}
	b.WriteString("</svg>\n")
	return []byte(b.String())
}

func TestPlotAndTable(t *testing.T) {
	f := figures{name: "x", of: "objects & more", unit: "µs", at: []int{10, 1000, 1_000_000}}
	for i := range f.at {
		f.add("GET", float64(i+1))
		f.add("a <list>", 4)
	}
	assert.Equal(t, "| objects & more | GET | a <list> |\n| --- | --- | --- |\n| 10 | 1.0 µs, 1.00 | 4.0 µs, 1.00 |\n"+
		"| 1,000 | 2.0 µs, 2.00 | 4.0 µs, 1.00 |\n| 1,000,000 | 3.0 µs, 3.00 | 4.0 µs, 1.00 |\n", f.table())
	f.aim, f.aimed = 1.5, 2
	assert.Equal(t, "GET misses the aim of 1.5 at 1,000: 2.00\nGET misses the aim of 1.5 at 1,000,000: 3.00\n", f.misses())
	lines, texts := drawn(t, f.plot())
	assert.Equal(t, map[string]string{colors[0]: "60.0,213.3 220.0,116.7 460.0,20.0",
		colors[1]: "60.0,213.3 220.0,213.3 460.0,213.3"}, lines)
	assert.Subset(t, texts, []string{"10", "1,000", "1,000,000", "objects & more", "GET", "a <list>", "0", "3",
		"cost beside that of 10"})
}

func TestPlotOfTimesAtEvenDistances(t *testing.T) {
	f := figures{name: "x", of: "hours", unit: "ms", absolute: true, linear: true, at: []int{1, 3, 5}}
	for _, cost := range []float64{2, 6, 4} {
		f.add("pause", cost)
	}
	assert.Equal(t, "| hours | pause |\n| --- | --- |\n| 1 | 2.0 ms, 1.00 |\n| 3 | 6.0 ms, 3.00 |\n| 5 | 4.0 ms, 2.00 |\n",
		f.table())
	f.aim, f.aimed = 5, 1
	assert.Equal(t, "pause misses the aim of 5 at 3: 6.00\n", f.misses())
	lines, texts := drawn(t, f.plot())
	assert.Equal(t, map[string]string{colors[0]: "60.0,213.3 260.0,20.0 460.0,116.7"}, lines)
	assert.Subset(t, texts, []string{"1", "3", "5", "hours", "pause", "0", "6", "ms"})
}

// drawn returns the points of the lines in a plot, by color, and its texts.
func drawn(t *testing.T, plot []byte) (lines map[string]string, texts []string) {
	lines = map[string]string{}
	d := xml.NewDecoder(bytes.NewReader(plot))
	for {
		token, err := d.Token()
		if err == io.EOF {
			return lines, texts
		}
		require.NoError(t, err)
		switch e := token.(type) {
		case xml.StartElement:
			if e.Name.Local == "polyline" {
				lines[e.Attr[2].Value] = e.Attr[0].Value
			}
		case xml.CharData:
			texts = append(texts, string(e))
		}
	}
}
