package media

import (
	"bytes"
	"strconv"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
)

// EncodeList returns a whole list in the media type of the representation. It is for representations that cannot be written in chunks;
// see [ListWriter] for JSON. It clears l.Records.
func (k *Kind) EncodeList(rep *Representation, l List) ([]byte, error) {
	if rep.Media == Protobuf {
		body, err := k.encodeProtobufList(rep, l)
		clear(l.Records)
		return body, err
	}
	w, err := NewListWriter(k, rep)
	if err != nil {
		return nil, err
	}
	defer w.Release()
	var whole bytes.Buffer
	if err := w.Write(&whole, l); err != nil {
		return nil, err
	}
	return rep.Encode(whole.Bytes())
}

// Field numbers of every list kind.
const (
	listMetaField = 1
	listItemField = 2
)

// encodeProtobufList returns a list in its envelope. All list kinds have the same message, except for the message of their items.
func (k *Kind) encodeProtobufList(rep *Representation, l List) ([]byte, error) {
	meta, err := codec.FromGo(apimeta.ListMeta{
		ResourceVersion: strconv.FormatUint(uint64(l.Revision), 10), Continue: l.Continue, RemainingItemCount: l.Remaining,
	})
	if err != nil {
		return nil, err
	}
	encoded, err := codec.ListMetaMessage().Append(nil, meta)
	if err != nil {
		return nil, err
	}
	raw := codec.AppendField(nil, listMetaField, encoded)
	var partial []byte
	for _, record := range l.Records {
		if record, err = k.show(record); err != nil {
			return nil, err
		}
		object := record.JSON
		if rep.Form == AsPartial {
			partial = appendPartialRecord(partial[:0], rep.MetaVersion, record)
			object = partial
		}
		v, _, err := codec.DecodeJSON(object)
		if err != nil {
			return nil, err
		}
		item, err := rep.message.Encode(v)
		if err != nil {
			return nil, err
		}
		raw = codec.AppendField(raw, listItemField, item)
	}
	apiVersion, kind := k.listType(rep)
	return codec.AppendEnvelope(nil, codec.Envelope{APIVersion: apiVersion, Kind: kind, Raw: raw}), nil
}
