import type {Secret} from '../core/secret.ts';
import {type DemoOptions, demoModelInfo, demoRoutes} from './demo-model/demo-routes.ts';
import {createAuthorization, refuseStranger} from './gate.ts';
import {contractRoutes} from './handlers.ts';
import {refusal} from './refusal.ts';
import {findRoute, type Route} from './route.ts';

export type App = (request: Request) => Promise<Response>;

type Options = {
	/** What a caller proves himself with. */
	readonly token: Secret;
	readonly demo?: DemoOptions;
	/** Told of what a handler threw, which is a bug; the caller learns only that there was one. */
	readonly onBug?: (error: unknown) => void;
};

const health: Route = {
	method: 'GET',
	path: '/healthz',
	auth: 'none',
	handle: () => Response.json({status: 'ok'}),
};

/** The server as a function of a request, tested without a port. It never throws. */
export function createApp({token, demo = {}, onBug = () => {}}: Options): App {
	const isAuthorized = createAuthorization(token);
	const routes = [
		health,
		...contractRoutes({
			getUserPreferences: () => ({
				enabled_model_ids: [demoModelInfo.id],
				inference_credits_per_dollar: 100,
				access_restricted: false,
				models: [demoModelInfo],
			}),
		}),
		...demoRoutes(demo),
	];

	return async request => {
		const url = new URL(request.url);
		try {
			const stranger = refuseStranger(request, url);
			if (stranger) {
				return stranger;
			}

			const found = findRoute(routes, request, url, isAuthorized);
			return found instanceof Response ? found : await found.route.handle({request, url, parameters: found.parameters});
		} catch (error) {
			onBug(error);
			return refusal(url, 500, 'Something went wrong inside the server.');
		}
	};
}
