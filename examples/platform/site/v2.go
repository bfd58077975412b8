package site

import (
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
)

// SiteV2 is a Site in version v2, where the text is a list of paragraphs.
type SiteV2 struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`

	Spec   SiteV2Spec `json:"spec" api:"doc='What the page shows.'"`
	Status SiteStatus `json:"status,omitzero" api:"doc='Where the page is.'"`
}

// SiteV2Spec is what the user wants.
type SiteV2Spec struct {
	Title      string   `json:"title" api:"minLength=1,maxLength=80,doc='The heading of the page.'"`
	Paragraphs []string `json:"paragraphs,omitempty" api:"list=atomic,maxItems=1000,items.minLength=1,items.maxLength=10000,doc='The text of the page.'"`
	Theme      string   `json:"theme,omitempty" api:"enum=Light|Dark,default=Light,doc='The colors of the page.'"`
}

// v2 declares the version. Sites are still stored as v1.
func v2() rest.VersionOf[Site] {
	return rest.Converted(rest.Resource[SiteV2]{Version: "v2"}, toStored, fromStored)
}

func toStored(in *SiteV2, out *Site) error {
	out.Spec = SiteSpec{Title: in.Spec.Title, Text: strings.Join(in.Spec.Paragraphs, "\n\n"), Theme: in.Spec.Theme}
	out.Status = in.Status
	return nil
}

func fromStored(in *Site, out *SiteV2) error {
	out.Spec = SiteV2Spec{Title: in.Spec.Title, Theme: in.Spec.Theme}
	if in.Spec.Text != "" {
		out.Spec.Paragraphs = strings.Split(in.Spec.Text, "\n\n")
	}
	out.Status = in.Status
	return nil
}
