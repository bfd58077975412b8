package media

import "github.com/decorum-go/decorum/storage"

// Encode returns a JSON document in the media type of the representation. The result may be the document itself.
func (rep *Representation) Encode(document []byte) ([]byte, error) {
	return rep.format().encode(rep, document)
}

// IsStored reports whether an answer with a stored object is its stored text, apart from the media type.
func (rep *Representation) IsStored() bool { return rep.Form == Whole && !rep.Drops }

// Transform returns a stored object in the form of the representation, still as JSON.
func (k *Kind) Transform(rep *Representation, object []byte) ([]byte, error) {
	switch rep.Form {
	case AsTable:
		return k.appendTableOf(nil, rep, object)
	case AsPartial:
		return appendPartial(nil, rep.MetaVersion, object, rep.Drops)
	}
	if rep.Drops {
		parts, err := storage.ExtractMetadata(object)
		return appendCut(nil, object, 0, len(object), parts.ManagedFields), err
	}
	return object, nil
}
