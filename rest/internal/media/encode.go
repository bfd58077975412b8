package media

// Encode returns a JSON document in the media type of the representation. The result may be the document itself.
func (rep *Representation) Encode(document []byte) ([]byte, error) {
	return rep.format().encode(rep, document)
}

// Transform returns a stored object in the form of the representation, still as JSON.
func (k *Kind) Transform(rep *Representation, object []byte) ([]byte, error) {
	switch rep.Form {
	case AsTable:
		return k.appendTableOf(nil, rep, object)
	case AsPartial:
		return appendPartial(nil, rep.MetaVersion, object)
	}
	return object, nil
}
