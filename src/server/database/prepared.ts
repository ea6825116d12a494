import {type Compilable, type CompiledQuery, type RawBuilder, sql} from 'kysely';
import type {Queries} from './tables.ts';

type Values = Readonly<Record<string, string | number | null>>;

/** Stands in a compiled query for a value that each execution passes. */
class Placeholder {
	readonly name: string;

	constructor(name: string) {
		this.name = name;
	}
}

/** A placeholder for the input of this name. */
export type QueryInput<Given extends Values> = <Name extends keyof Given & string>(
	name: Name,
) => RawBuilder<Given[Name]>;

/**
 * Returns a function that executes a query with new values. The query is built and compiled once for each database,
 * because that takes longer than most queries do. Every execution reads the database; no rows are cached.
 */
export function prepared<Given extends Values, Row>(
	build: (queries: Queries, input: QueryInput<Given>) => Compilable<Row>,
): (queries: Queries, given: Given) => Promise<readonly Row[]> {
	const compiled = new WeakMap<Queries, CompiledQuery<Row>>();
	const compile = (queries: Queries) => {
		const query = build(queries, name => sql`${new Placeholder(name)}`).compile();
		compiled.set(queries, query);
		return query;
	};
	return async (queries, given) => {
		const query = compiled.get(queries) ?? compile(queries);
		const parameters = query.parameters.map(value => (value instanceof Placeholder ? given[value.name] : value));
		const {rows} = await queries.executeQuery<Row>({...query, parameters});
		return rows;
	};
}
