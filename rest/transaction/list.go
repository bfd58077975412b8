package transaction

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/status"
)

// item is an object of the list.
type item struct {
	text []byte // JSON
	head struct {
		apimeta.TypeMeta `json:",inline"`
		Metadata         struct{ Name, GenerateName, Namespace, ResourceVersion string }
	}
}

// readList reads the body of a transaction.
func readList(body []byte) ([]item, error) {
	if trimmed := bytes.TrimSpace(body); !bytes.HasPrefix(trimmed, []byte("{")) {
		list, duplicates, err := codec.DecodeYAML(body, true)
		switch {
		case err != nil:
			return nil, status.BadRequest("the body is neither JSON nor YAML: " + err.Error())
		case len(duplicates) > 0:
			return nil, status.BadRequest("the body is neither JSON nor YAML: " + codec.DuplicateLines(duplicates))
		}
		body = codec.AppendJSON(nil, list)
	}
	var list struct {
		apimeta.TypeMeta `json:",inline"`
		Items            []json.RawMessage `json:"items"`
	}
	if err := json.Unmarshal(body, &list); err != nil {
		return nil, status.BadRequest("the body is not a List: " + err.Error())
	}
	if list.APIVersion != "v1" || list.Kind != "List" {
		return nil, status.BadRequest(fmt.Sprintf("the body must be a List of v1, and not %q of %q", list.Kind,
			list.APIVersion))
	}
	items := make([]item, len(list.Items))
	for i, text := range list.Items {
		items[i].text = text
		if err := json.Unmarshal(text, &items[i].head); err != nil {
			return nil, status.BadRequest(fmt.Sprintf("items[%d] is not an object: %v", i, err))
		}
	}
	return items, nil
}
