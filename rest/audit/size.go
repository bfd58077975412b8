package audit

import "github.com/decorum-go/decorum/status"

// textSize is about the memory of a text in a list or a map besides its bytes.
const textSize = 16

// sizeOf estimates the memory of an event, in bytes. It counts every text, because clients choose most of them.
func sizeOf(e *Event) int64 {
	n := eventSize + len(e.RequestObject) + len(e.ResponseObject) + len(e.AuditID) + len(e.RequestURI) + len(e.Verb) +
		len(e.UserAgent) + sizeOfTexts(e.SourceIPs) + sizeOfUser(&e.User)
	if e.ImpersonatedUser != nil {
		n += sizeOfUser(e.ImpersonatedUser)
	}
	if r := e.ObjectRef; r != nil {
		n += len(r.Resource) + len(r.Namespace) + len(r.Name) + len(r.UID) + len(r.APIGroup) + len(r.APIVersion) +
			len(r.ResourceVersion) + len(r.Subresource)
	}
	if e.ResponseStatus != nil {
		n += sizeOfStatus(e.ResponseStatus)
	}
	for key, value := range e.Annotations {
		n += 2*textSize + len(key) + len(value)
	}
	return int64(n)
}

func sizeOfTexts(texts []string) int {
	n := textSize * len(texts)
	for _, text := range texts {
		n += len(text)
	}
	return n
}

func sizeOfUser(u *User) int {
	n := len(u.Username) + len(u.UID) + sizeOfTexts(u.Groups)
	for key, values := range u.Extra {
		n += 2*textSize + len(key) + sizeOfTexts(values)
	}
	return n
}

func sizeOfStatus(s *status.Status) int {
	n := len(s.Message) + len(s.Reason)
	if d := s.Details; d != nil {
		n += len(d.Name) + len(d.Group) + len(d.Kind) + len(d.UID)
		for _, c := range d.Causes {
			n += 3*textSize + len(c.Type) + len(c.Message) + len(c.Field)
		}
	}
	return n
}
