import type {RequestOf, ResultOf} from '../contract/endpoint.ts';
import {endpoints} from '../contract/endpoints.ts';
import {refusal} from './refusal.ts';
import {type Route, validationErrors} from './route.ts';

/** The rows of the contract that this server answers. */
type ServedId = 'getUserPreferences';

/** One function a row that is served; a row without one does not compile. */
export type Handlers = {
	readonly [Id in ServedId]: (
		request: RequestOf<(typeof endpoints)[Id]>,
	) => ResultOf<(typeof endpoints)[Id]> | Promise<ResultOf<(typeof endpoints)[Id]>>;
};

/** The routes of the contract: validated before the handler, so that it sees only what the schema says. */
export function contractRoutes(handlers: Handlers): readonly Route[] {
	const {method, path, auth, query} = endpoints.getUserPreferences;
	return [
		{
			method,
			path,
			auth,
			async handle({url, parameters}) {
				const parsed = query.safeParse(Object.fromEntries(url.searchParams));
				if (!parsed.success) {
					const errors = validationErrors('query', parsed.error.issues);
					return refusal(url, 422, 'The query is not right.', {errors});
				}

				return Response.json(await handlers.getUserPreferences({params: parameters, query: parsed.data}));
			},
		},
	];
}
