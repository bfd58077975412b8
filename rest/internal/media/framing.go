package media

import "github.com/decorum-go/decorum/watch"

// framing makes events of objects, in the media type of the stream. What is appended to dst between begin and end is the
// object's JSON.
type framing interface {
	begin(dst []byte, event watch.EventType) []byte
	// end completes the event that begins at start.
	end(dst []byte, start int, event watch.EventType) ([]byte, error)
	// head appends what comes before an object that is encoded already and has this size, and tail is what comes after it.
	head(dst []byte, event watch.EventType, size int) []byte
	tail() string
	// forget drops what is only kept to be used again.
	forget()
}

// framingOf returns the framing of a stream in a representation, or of messages, which know where they end.
func framingOf(rep Representation, messages bool) framing {
	switch rep.Media {
	case Protobuf:
		return &binaryFraming{named: keyOf(rep), form: &protobufForm{message: rep.message, prefixed: !messages}}
	case CBOR:
		return &binaryFraming{named: keyOf(rep), form: cborForm{rep.cbor}}
	}
	return jsonFraming{}
}

// jsonFraming writes an event in a line.
type jsonFraming struct{}

const jsonTail = "}\n"

func (jsonFraming) begin(dst []byte, event watch.EventType) []byte {
	dst = append(dst, `{"type":"`...)
	dst = append(dst, event...)
	return append(dst, `","object":`...)
}

func (jsonFraming) end(dst []byte, _ int, _ watch.EventType) ([]byte, error) {
	return append(dst, jsonTail...), nil
}

func (f jsonFraming) head(dst []byte, event watch.EventType, _ int) []byte {
	return f.begin(dst, event)
}

func (jsonFraming) tail() string { return jsonTail }

func (jsonFraming) forget() {}

// binaryFraming translates the JSON of an object and puts an event around it.
type binaryFraming struct {
	named encodingKey // without the revisions
	form
	object []byte
}

// form is a binary form of events.
type form interface {
	encode(dst, json []byte) ([]byte, error)
	encodeStatus(dst, json []byte) ([]byte, error)
	// head appends an event about an encoded object of this size, up to the object.
	head(dst []byte, event watch.EventType, size int) []byte
}

// key names the object of an event in this form.
func (f *binaryFraming) key(event Event) encodingKey {
	key := f.named
	key.of, key.at = event.Object.Revision, event.Revision
	return key
}

func (f *binaryFraming) begin(dst []byte, _ watch.EventType) []byte { return dst }

func (f *binaryFraming) end(dst []byte, start int, event watch.EventType) ([]byte, error) {
	encode := f.encode
	if event == watch.Error {
		encode = f.encodeStatus
	}
	var err error
	if f.object, err = encode(f.object[:0], dst[start:]); err != nil {
		return dst[:start], err
	}
	return append(f.head(dst[:start], event, len(f.object)), f.object...), nil
}

func (f *binaryFraming) tail() string { return "" }

func (f *binaryFraming) forget() { f.object = nil }
