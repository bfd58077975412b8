// Package site declares the kind of the platform: Site, a page that the platform
// publishes. Every program that works with sites imports it.
package site

import (
	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
)

// Site is a page that the platform publishes.
type Site struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`

	Spec   SiteSpec   `json:"spec" api:"doc='What the page shows.'"`
	Status SiteStatus `json:"status,omitzero" api:"doc='Where the page is.'"`
}

// SiteSpec is what the user wants. The tags validate, default and document it.
type SiteSpec struct {
	Title string `json:"title" api:"minLength=1,maxLength=80,doc='The heading of the page.'"`
	Text  string `json:"text,omitempty" api:"minLength=1,maxLength=10000,doc='The text of the page. An empty line ends a paragraph.'"`
	Theme string `json:"theme,omitempty" api:"enum=Light|Dark,default=Light,doc='The colors of the page.'"`
}

// SiteStatus is what the platform has done about it.
type SiteStatus struct {
	ObservedGeneration int64               `json:"observedGeneration,omitempty" api:"doc='The generation of the spec that the page shows.'"`
	Path               string              `json:"path,omitempty" api:"minLength=1,maxLength=400,doc='Where the page is on the server of the platform.'"`
	Conditions         []apimeta.Condition `json:"conditions,omitempty" api:"list=map,key=type,doc='Ready is True when the page shows the spec.'"`
}

// Resource says how sites are served.
func Resource() rest.Resource[Site] {
	return rest.Resource[Site]{
		Group: "platform.example.com", Version: "v1", Plural: "sites",
		Description: "Site is a page that the platform publishes.",
		Names:       rest.Names{Categories: []string{"all"}},
		Columns: []rest.Column{
			{Name: "Title", Path: ".spec.title"},
			{Name: "Ready", Path: ".status.conditions[?(@.type=='Ready')].status"},
			{Name: "Path", Path: ".status.path"},
			{Name: "Age", Type: "date", Path: ".metadata.creationTimestamp"},
		},
		Versions: []rest.VersionOf[Site]{v2()},
	}
}
