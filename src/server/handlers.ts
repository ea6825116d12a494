import type {RequestOf, ResultOf} from '../contract/endpoint.ts';
import {type EndpointId, endpoints} from '../contract/endpoints.ts';
import {refusal} from './refusal.ts';
import {type Route, validationErrors} from './route.ts';

/** One function a row of the contract; a row without one does not compile. */
export type Handlers = {
	readonly [Id in EndpointId]: (
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

				return Response.json(await handlers.getUserPreferences({parameters, query: parsed.data}));
			},
		},
	];
}
