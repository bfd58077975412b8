package validate

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// WriteText writes the findings as FILE:LINE: SEVERITY: OBJECT: FIELD: MESSAGE, each on a line, and then how many
// objects have which verdict. Behind an object that helm has rendered, the name of its template stands in parentheses.
func WriteText(w io.Writer, results []Result) error {
	out := bufio.NewWriter(w)
	for i := range results {
		r := &results[i]
		for _, f := range r.Findings {
			fmt.Fprintf(out, "%s:%d: %s: ", r.File, f.Line, f.Severity)
			if name := r.String(); name != "" {
				fmt.Fprint(out, name)
				if r.Source != "" {
					fmt.Fprintf(out, " (%s)", r.Source)
				}
				fmt.Fprint(out, ": ")
			}
			if f.Field != "" {
				fmt.Fprintf(out, "%s: ", f.Field)
			}
			fmt.Fprintln(out, strings.ReplaceAll(f.Message, "\n", " "))
		}
	}
	fmt.Fprintln(out, Count(results))
	return out.Flush()
}
