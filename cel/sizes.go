package cel

import (
	"github.com/google/cel-go/checker"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
)

// The lengths of JSON values, from which API servers estimate how many values a request can hold. The estimate
// assumes requests of at most maxRequest bytes, whatever limit the host sets.
const (
	maxRequest       = 3 << 20
	minContainer     = 2  // {} and []
	minText          = 2  // ""
	minBoolean       = 4  // true
	minNumber        = 1  // 0
	minDuration      = 3  // "0"
	maxDuration      = 32 // "9999-12-31T23:59:59.999999999Z", like a date-time
	dateLength       = 12 // "2006-01-02"
	minDateTime      = 21 // "2006-01-02T15:04:05"
	maxDateTime      = 32
	perProperty      = 4 // "": and a comma
	perMember        = 6 // a member of a map, with a key of two characters; see perProperty
	bytesOfCharacter = 4 // maxLength counts characters
)

// minSize returns the smallest size of a value in JSON, in bytes.
func minSize(s *schema.Schema) uint64 { return minSizeBelow(s, map[*schema.Object]bool{}) }

func minSizeBelow(s *schema.Schema, above map[*schema.Object]bool) uint64 {
	s = s.Seen()
	if s.IntOrString {
		return minNumber
	}
	switch s.Type {
	case schema.BooleanType:
		return minBoolean
	case schema.IntegerType, schema.NumberType:
		return minNumber
	case schema.StringType:
		switch s.Format {
		case "duration":
			return minDuration
		case "date":
			return dateLength
		case "date-time":
			return minDateTime
		}
		return minText
	}
	size := uint64(minContainer)
	if s.Type != schema.ObjectType || s.Object == nil || above[s.Object] {
		return size
	}
	above[s.Object] = true
	defer delete(above, s.Object)
	for i := range s.Object.Properties {
		p := &s.Object.Properties[i]
		if p.Required && p.Schema.DefaultValue.IsAbsent() && !p.Schema.Anything() {
			size += uint64(len(p.Name)) + minSizeBelow(p.Schema, above) + perProperty
		}
	}
	return size
}

// maxElements returns the largest number of elements of a list, members of a map, or bytes of a text. It is 0 for
// other values.
func maxElements(s *schema.Schema) uint64 {
	c := s.Constraints()
	const inBrackets = maxRequest - minContainer
	switch {
	case s.IntOrString && c.MaxLength == nil:
		return maxRequest - minText
	case s.IntOrString:
		return atMost(c.MaxLength) * bytesOfCharacter
	case s.Type == schema.StringType:
		return maxText(s)
	case s.Type == schema.ArrayType && c.MaxItems != nil:
		return atMost(c.MaxItems)
	case s.Type == schema.ArrayType && s.Items != nil:
		return inBrackets / (minSize(s.Items) + 1)
	case s.Additional != nil && c.MaxProperties != nil:
		return atMost(c.MaxProperties)
	case s.Additional != nil:
		return inBrackets / (minSize(s.Additional) + perMember)
	}
	return 0
}

// atMost returns a bound of a schema. No value satisfies a negative one, so it counts as 0.
func atMost(bound *int64) uint64 { return uint64(max(*bound, 0)) }

func maxText(s *schema.Schema) uint64 {
	c := s.Constraints()
	switch s.Format {
	case "duration":
		return maxDuration
	case "date":
		return dateLength
	case "date-time":
		return maxDateTime
	}
	switch {
	case c.MaxLength != nil && s.Format == "byte":
		return atMost(c.MaxLength)
	case c.MaxLength != nil:
		return atMost(c.MaxLength) * bytesOfCharacter
	case len(c.Enum) == 0 || s.Format == "byte":
		return maxRequest - minText
	}
	longest := 0
	for _, v := range c.Enum {
		if v.Kind() == doc.String {
			longest = max(longest, len(v.Text()))
		}
	}
	return uint64(longest)
}

// sizesOf estimates the sizes of the values to which expressions about values of a schema refer.
type sizesOf struct{ self *schema.Schema }

// EstimateSize implements sizes.
func (e sizesOf) EstimateSize(element checker.AstNode) *checker.SizeEstimate {
	path := element.Path()
	if len(path) == 0 {
		return nil
	}
	s := e.self
	for _, name := range path[1:] { // skip the variable
		switch name {
		case "@items":
			s = s.Items
		case "@values":
			s = s.Additional
		case "@keys":
			return &checker.SizeEstimate{} // API servers count keys as empty
		default:
			s = escapedProperty(s, name)
		}
		if s == nil {
			return nil
		}
	}
	return &checker.SizeEstimate{Max: maxElements(s)}
}

func escapedProperty(s *schema.Schema, name string) *schema.Schema {
	if s = s.Seen(); s.Object == nil {
		return nil
	}
	for i := range s.Object.Properties {
		p := &s.Object.Properties[i]
		if escaped, ok := escape(p.Name); ok && escaped == name {
			return p.Schema
		}
	}
	return nil
}
