package main

import (
	"context"
	"net/http"
	"strconv"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
)

// Stock is how many pieces of a part are at one place.
type Stock struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`

	Spec StockSpec `json:"spec"`
}

type StockSpec struct {
	Part  string `json:"part" api:"doc='The part, such as bolts.'"`
	Count int64  `json:"count" api:"min=0,doc='The number of pieces.'"`
}

// stocks declares the kind. Clients query its selectable fields, and each Stock keeps its last 20 versions.
func stocks() rest.Resource[Stock] {
	return rest.Resource[Stock]{
		Group: "warehouse.example.com", Version: "v1", Plural: "stocks",
		Columns: []rest.Column{
			{Name: "Part", Path: ".spec.part"}, {Name: "Count", Type: "integer", Path: ".spec.count"},
		},
		SelectableFields: []string{"spec.part", "spec.count"},
		History:          &rest.History{Versions: 20},
	}
}

// move returns the handler of POST /move/{from}/{to}?count=N. Both stocks change, or none.
func move(api *rest.API, stocks rest.Client[Stock]) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		count, err := strconv.ParseInt(r.FormValue("count"), 10, 32)
		if err != nil || count < 1 {
			http.Error(w, "count must be a positive number", http.StatusBadRequest)
			return
		}
		err = api.Transact(r.Context(), func(ctx context.Context) error {
			if err := add(ctx, stocks, r.PathValue("from"), -count); err != nil {
				return err
			}
			return add(ctx, stocks, r.PathValue("to"), count)
		})
		if err != nil {
			http.Error(w, err.Error(), status.CodeOf(err))
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}
}

// add changes the count of a stock. The API refuses a negative one.
func add(ctx context.Context, stocks rest.Client[Stock], name string, count int64) error {
	_, err := stocks.Modify(ctx, name, func(s *Stock) error {
		s.Spec.Count += count
		return nil
	})
	return err
}
