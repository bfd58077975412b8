package apimeta_test

import (
	"encoding/json"
	"fmt"

	"github.com/decorum-go/decorum/apimeta"
)

func Example() {
	type Widget struct {
		apimeta.TypeMeta   `json:",inline"`
		apimeta.ObjectMeta `json:"metadata,omitempty"`
		Spec               struct {
			Size int `json:"size"`
		} `json:"spec"`
	}
	w := Widget{
		TypeMeta:   apimeta.TypeMeta{Kind: "Widget", APIVersion: "example.com/v1"},
		ObjectMeta: apimeta.ObjectMeta{Name: "first", Labels: map[string]string{"tier": "front"}},
	}
	w.Spec.Size = 3
	data, _ := json.Marshal(w)
	fmt.Println(string(data))
	fmt.Println(w.GroupVersionKind())
	fmt.Println(w.DeletionTimestamp.IsZero())
	// Output:
	// {"kind":"Widget","apiVersion":"example.com/v1","metadata":{"name":"first","labels":{"tier":"front"}},"spec":{"size":3}}
	// example.com/v1, Kind=Widget
	// true
}

func ExampleParseLabelSelector() {
	s, err := apimeta.ParseLabelSelector("tier in (front, back), !old")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s)
	fmt.Println(s.Matches(apimeta.LabelsOf(map[string]string{"tier": "front"})))
	fmt.Println(s.Matches(apimeta.LabelsOf(map[string]string{"tier": "front", "old": "true"})))
	// Output:
	// !old,tier in (back,front)
	// true
	// false
}

func ExampleParseFieldSelector() {
	s, err := apimeta.ParseFieldSelector("spec.color!=red,metadata.name=first")
	if err != nil {
		fmt.Println(err)
		return
	}
	name, ok := s.Exact("metadata.name")
	fmt.Println(name, ok)

	fields := map[string]string{"metadata.name": "first", "spec.color": "green"}
	fmt.Println(s.Matches(func(field string) string { return fields[field] }))
	// Output:
	// first true
	// true
}

func ExampleLabelSelector_Matcher() {
	s, err := apimeta.LabelSelector{
		MatchLabels: map[string]string{"app": "shop"},
		MatchExpressions: []apimeta.LabelSelectorRequirement{{Key: "tier", Operator: apimeta.LabelSelectorNotIn,
			Values: []string{"back"}}},
	}.Matcher()
	fmt.Println(s, err)
	// Output:
	// app=shop,tier notin (back) <nil>
}

func ExampleSetCondition() {
	var conditions []apimeta.Condition
	ready := apimeta.Condition{Type: "Ready", Status: apimeta.ConditionTrue, Reason: "AllPartsBuilt"}
	fmt.Println(apimeta.SetCondition(&conditions, ready))
	fmt.Println(apimeta.SetCondition(&conditions, ready))
	fmt.Println(apimeta.IsConditionTrue(conditions, "Ready"))
	// Output:
	// true
	// false
	// true
}

func ExampleValidateDNS1123Label() {
	for _, msg := range apimeta.ValidateDNS1123Label("web.example") {
		fmt.Println(msg)
	}
	// Output:
	// must not contain dots
}

func ExampleFindCondition() {
	conditions := []apimeta.Condition{{Type: "Ready", Status: apimeta.ConditionFalse, Reason: "NoCapacity"}}

	if ready := apimeta.FindCondition(conditions, "Ready"); ready != nil {
		fmt.Println(ready.Status, ready.Reason)
	}
	fmt.Println(apimeta.FindCondition(conditions, "Stalled") == nil)
	// Output:
	// False NoCapacity
	// true
}
