package quota

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Quantity is a whole number as Kubernetes writes it: a text such as "5", "2k" or "1Gi". It may also be a number in
// JSON. It is stored with a decimal suffix, such as "2k" for 2000. Make one with [Count].
type Quantity struct {
	// Text is the text. In an object that the API has read, it is valid. An invalid text is an error of the write.
	Text string `protobuf:"bytes,1,opt,name=string"`
}

// Count returns the quantity of a number, for limits that Go code sets.
func Count(n int64) Quantity { return Quantity{quantity(n)} }

// Value returns the number, or 0 if the text is invalid.
func (q Quantity) Value() int64 {
	n, err := parseQuantity(q.Text)
	if err != nil {
		return 0
	}
	return n
}

// suffixes are the factors that a quantity may have.
var suffixes = map[string]int64{
	"": 1, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18,
	"Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30, "Ti": 1 << 40, "Pi": 1 << 50, "Ei": 1 << 60,
}

// OpenAPISchemaType says that a quantity is a string in OpenAPI, as in Kubernetes.
func (Quantity) OpenAPISchemaType() []string { return []string{"string"} }

// OpenAPIV3OneOfTypes says that a quantity may also be a number.
func (Quantity) OpenAPIV3OneOfTypes() []string { return []string{"string", "number"} }

// OpenAPISchemaFormat returns the format of the type, which is none.
func (Quantity) OpenAPISchemaFormat() string { return "" }

// String returns the text, which may be invalid.
func (q Quantity) String() string { return q.Text }

// MarshalJSON implements [json.Marshaler]. It returns an error if the text is invalid.
func (q Quantity) MarshalJSON() ([]byte, error) {
	n, err := parseQuantity(q.Text)
	if err != nil {
		return nil, err
	}
	return json.Marshal(quantity(n))
}

// UnmarshalJSON implements [json.Unmarshaler]. It returns an error if the text is invalid.
func (q *Quantity) UnmarshalJSON(data []byte) error {
	text := string(data)
	if strings.HasPrefix(text, `"`) {
		if err := json.Unmarshal(data, &text); err != nil {
			return err
		}
	}
	n, err := parseQuantity(text)
	*q = Count(n)
	return err
}

func parseQuantity(text string) (int64, error) {
	digits := strings.TrimRight(text, "kKMGTPEi")
	n, err := strconv.ParseInt(digits, 10, 64)
	factor, known := suffixes[text[len(digits):]]
	if err != nil || !known {
		return 0, fmt.Errorf("quantities must be whole numbers with an optional suffix, such as 5, 2k or 1Gi, not %q", text)
	}
	if n > math.MaxInt64/factor || n < math.MinInt64/factor {
		return 0, errors.New("the quantity is too large")
	}
	return n * factor, nil
}
