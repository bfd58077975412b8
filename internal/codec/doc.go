// Package codec converts between bytes and values. All code of the module that reads or writes JSON or YAML uses it, so
// that every question of format has one answer.
//
// It distinguishes three kinds of values:
//
//   - Documents ([doc.Value]) are what the write pipeline works on. [DecodeJSON] and [DecodeYAML] read what clients send
//     and report its duplicate members. [AppendJSON] and [AppendObject] write documents, so that equal documents have
//     equal bytes.
//   - A host's Go types are read and written as by encoding/json, except that member names are case-sensitive: by
//     [Unmarshal] and [Marshal], and by [ToGo] and [FromGo] from and to documents.
//   - This module's own structs (Status, discovery, Table, OpenAPI) are only written, by [EncodeOwn].
package codec
