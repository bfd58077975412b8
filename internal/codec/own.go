package codec

import jsoniter "github.com/json-iterator/go"

var ownConfig = jsoniter.Config{
	EscapeHTML:             true,
	SortMapKeys:            true,
	ValidateJsonRawMessage: true,
	CaseSensitive:          true,
}.Froze()

// EncodeOwn returns the JSON of one of this module's own structs (Status, discovery, Table, OpenAPI) as encoding/json
// would write it, but for two things that keep it from a host's types: the option omitzero is unknown to it, and a
// json.RawMessage, which must be valid, is written as it stands. The bytes are the caller's.
func EncodeOwn(v any) ([]byte, error) { return ownConfig.Marshal(v) }
