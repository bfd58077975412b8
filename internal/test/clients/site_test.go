package clients_test

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/decorum-go/decorum/rest"
)

// Site is a custom kind as users of controller-runtime write one, with the metadata of apimachinery. The host serves
// the same struct.
type Site struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   SiteSpec   `json:"spec"`
	Status SiteStatus `json:"status,omitzero"`
}

type SiteSpec struct {
	Title string `json:"title" api:"minLength=1"`
	Theme string `json:"theme,omitempty" api:"default=light,enum=light|dark"`
}

type SiteStatus struct {
	ObservedGeneration int64              `json:"observedGeneration,omitempty"`
	Page               string             `json:"page,omitempty"`
	Conditions         []metav1.Condition `json:"conditions,omitempty" api:"list=map,key=type"`
}

type SiteList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Site `json:"items"`
}

var (
	siteVersion  = schema.GroupVersion{Group: "web.example.com", Version: "v1"}
	siteResource = siteVersion.WithResource("sites")
	siteKind     = siteVersion.WithKind("Site")
)

func sites() rest.Resource[Site] {
	return rest.Resource[Site]{
		Group: siteVersion.Group, Version: siteVersion.Version, Plural: siteResource.Resource,
		Names:            rest.Names{Short: []string{"st"}},
		SelectableFields: []string{"spec.theme"},
	}
}

func newSite(name, title string) *Site {
	return &Site{
		TypeMeta: metav1.TypeMeta{APIVersion: siteVersion.String(), Kind: siteKind.Kind},
		ObjectMeta: metav1.ObjectMeta{Namespace: metav1.NamespaceDefault, Name: name,
			Labels: map[string]string{"app": "web"}},
		Spec: SiteSpec{Title: title},
	}
}

func (s *Site) DeepCopy() *Site {
	out := *s
	out.ObjectMeta = *s.ObjectMeta.DeepCopy()
	if s.Status.Conditions != nil {
		out.Status.Conditions = append([]metav1.Condition{}, s.Status.Conditions...)
	}
	return &out
}

func (s *Site) DeepCopyObject() runtime.Object { return s.DeepCopy() }

func (l *SiteList) DeepCopyObject() runtime.Object {
	out := *l
	out.ListMeta = *l.ListMeta.DeepCopy()
	out.Items = nil
	for i := range l.Items {
		out.Items = append(out.Items, *l.Items[i].DeepCopy())
	}
	return &out
}
