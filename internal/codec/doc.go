// Package codec is the only door between bytes and values. Whatever reads or writes JSON or YAML elsewhere in the module
// goes through here, so that there is one answer to each question of form.
//
// There are three kinds of values, and each has its own way:
//
//   - Documents ([doc.Value]) are what the write pipeline works on. [DecodeJSON] and [DecodeYAML] read what clients send
//     and report the duplicate members in it; [AppendJSON] and [AppendObject] write documents so that equal documents
//     have equal bytes.
//   - A host's Go types are read and written as encoding/json reads and writes them, but with member names matched by
//     case: [Unmarshal], [Marshal], and [ToGo] and [FromGo] from and to documents.
//   - Structs that are this module's own (Status, discovery, Table, OpenAPI) are only ever written, by [EncodeOwn].
package codec
