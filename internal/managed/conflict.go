package managed

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/decorum-go/decorum/status"
	"sigs.k8s.io/structured-merge-diff/v6/merge"
)

// maxConflictBytes bounds the total length of the paths and managers that the answer names: each path may be as long as
// the configuration, and the number of paths may be as large.
const maxConflictBytes = 256 << 10

// conflict returns the answer to a configuration that would change fields of others. It has one cause for each field,
// and groups the causes by manager.
func conflict(conflicts merge.Conflicts, e *entries, through string) error {
	conflicts = slices.Clone(conflicts)
	sort.SliceStable(conflicts, func(i, j int) bool { return conflicts[i].Manager < conflicts[j].Manager })
	var causes []status.Cause
	var text strings.Builder
	last, size := "", 0
	for i, c := range conflicts {
		who, path := shown(e.who[c.Manager], through), c.Path.String()
		if size += len(who) + len(path); i > 0 && size > maxConflictBytes {
			fmt.Fprintf(&text, "\n- and %d more", len(conflicts)-i)
			break
		}
		causes = append(causes, status.Cause{Type: status.CauseFieldManagerConflict, Message: "conflict with " + who,
			Field: path})
		if i == 0 || c.Manager != last {
			if i > 0 {
				text.WriteByte('\n')
			}
			fmt.Fprintf(&text, "conflicts with %s:", who)
		}
		fmt.Fprintf(&text, "\n- %s", path)
		last = c.Manager
	}
	message := fmt.Sprintf("Apply failed with %d conflicts: %s", len(conflicts), text.String())
	if len(conflicts) == 1 {
		message = fmt.Sprintf("Apply failed with 1 conflict: %s: %s", causes[0].Message, causes[0].Field)
	}
	return status.ApplyConflict(message, causes)
}

// shown returns the name of a manager in a message. The version is that of the subresource of the request, if it has
// one of its own.
func shown(i identity, through string) string {
	text := fmt.Sprintf("%q", i.Manager)
	if i.Subresource != "" {
		text += fmt.Sprintf(" with subresource %q", i.Subresource)
	}
	if i.isUpdate() {
		text += " using " + cmp.Or(through, i.APIVersion)
	}
	return text
}
