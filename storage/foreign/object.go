package foreign

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/engine"
	"github.com/decorum-go/decorum/watch"
)

// object is an object as the source has returned it.
type object struct {
	raw      []byte
	uid      string
	revision watch.Revision // the revision of its latest change
	written  storage.Moment // see [storage.Record.Written]
}

// identity is what the store reads from an object.
type identity struct {
	Metadata struct {
		Name      string `json:"name"`
		Namespace string `json:"namespace"`
		UID       string `json:"uid"`
	} `json:"metadata"`
}

// read returns the key of an object, and the object without a revision.
func (s *source) read(raw []byte) (storage.Key, *object, error) {
	var id identity
	if err := json.Unmarshal(raw, &id); err != nil {
		return storage.Key{}, nil, err
	}
	key := storage.Key{Resource: s.resource, Namespace: id.Metadata.Namespace, Name: id.Metadata.Name}
	if err := s.check(key); err != nil {
		return key, nil, fmt.Errorf("object %q in namespace %q: %w", key.Name, key.Namespace, err)
	}
	o := &object{raw: raw, uid: id.Metadata.UID}
	if o.uid == "" {
		o.uid = uidOf(key)
	}
	return key, o, nil
}

// check checks the name and the namespace of an object.
func (s *source) check(key storage.Key) error {
	switch {
	case key.Name == "":
		return errors.New("it has no name")
	case s.namespaced && key.Namespace == "":
		return errors.New("it has no namespace, but the kind is namespaced")
	case !s.namespaced && key.Namespace != "":
		return errors.New("it has a namespace, but the kind is cluster-scoped")
	}
	if faults := apimeta.ValidatePathSegmentName(key.Name); len(faults) > 0 {
		return fmt.Errorf("bad name: %s", faults[0])
	}
	if s.namespaced {
		if faults := apimeta.ValidateDNS1123Label(key.Namespace); len(faults) > 0 {
			return fmt.Errorf("bad namespace: %s", faults[0])
		}
	}
	return nil
}

// uidOf makes a uid from the names of an object. It is a UUID of version 8.
func uidOf(key storage.Key) string {
	sum := sha256.Sum256([]byte(key.Resource + "\x00" + key.Namespace + "\x00" + key.Name))
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}

// json returns the object as the engine takes it: with its uid and its revision, and without managedFields.
func (o *object) json() ([]byte, error) {
	var members, metadata map[string]json.RawMessage
	if err := json.Unmarshal(o.raw, &members); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(members["metadata"], &metadata); err != nil {
		return nil, err
	}
	uid, err := json.Marshal(o.uid)
	if err != nil {
		return nil, err
	}
	delete(metadata, "managedFields")
	metadata["uid"] = uid
	metadata["resourceVersion"] = json.RawMessage(`"` + strconv.FormatUint(uint64(o.revision), 10) + `"`)
	if members["metadata"], err = json.Marshal(metadata); err != nil {
		return nil, err
	}
	return json.Marshal(members)
}

// withUID returns the JSON of a new object with a uid.
func withUID(text []byte, uid string) ([]byte, error) {
	o := object{raw: text, uid: uid}
	return o.json()
}

// stored returns an object as an authority returns it. A nil object no longer exists.
func (o *object) stored(key storage.Key, at watch.Revision) engine.Stored {
	s := engine.Stored{Key: key, Revision: at}
	if o == nil {
		return s
	}
	s.Written = o.written
	if s.JSON, s.Unreadable = o.json(); s.Unreadable != nil {
		s.JSON = nil
	}
	return s
}
