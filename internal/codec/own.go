package codec

import jsoniter "github.com/json-iterator/go"

var ownConfig = jsoniter.Config{
	EscapeHTML:             true,
	SortMapKeys:            true,
	ValidateJsonRawMessage: true,
	CaseSensitive:          true,
}.Froze()

// EncodeOwn returns the JSON of one of this module's own structs (Status, discovery, Table, OpenAPI) as encoding/json
// would write it, with two differences: it ignores the option omitzero, and it writes a json.RawMessage, which must
// be valid, unchanged. Because of them it does not suit a host's types. The caller owns the bytes.
func EncodeOwn(v any) ([]byte, error) { return ownConfig.Marshal(v) }
