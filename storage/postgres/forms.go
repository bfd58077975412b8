package postgres

import "context"

// readForms returns the forms of a resource in the order of their numbers.
func (a *authority) readForms(ctx context.Context, resource string) (all []string, err error) {
	statement := "SELECT coalesce(array_agg(fingerprint ORDER BY number), '{}') FROM {schema}.forms WHERE resource = $1"
	err = a.ask(ctx, statement, []any{resource}, &all)
	return all, err
}

// addForm stores a form under a number, unless another replica has used the number or added the form.
func (a *authority) addForm(ctx context.Context, resource, form string, number int) error {
	added := 0
	return a.ask(ctx, `WITH added AS (
			INSERT INTO {schema}.forms (resource, number, fingerprint) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING 1
		) SELECT count(*) FROM added`, []any{resource, number, form}, &added)
}
