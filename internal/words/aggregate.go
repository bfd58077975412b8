package words

import "strings"

// Aggregate returns the text of several errors in one message of an API server: several different texts stand in
// brackets.
func Aggregate(errs []error) string {
	seen := map[string]bool{}
	var texts []string
	for _, err := range errs {
		if text := err.Error(); !seen[text] {
			seen[text] = true
			texts = append(texts, text)
		}
	}
	if len(texts) == 1 {
		return texts[0]
	}
	return "[" + strings.Join(texts, ", ") + "]"
}
