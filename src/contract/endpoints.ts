import {endpoint} from './endpoint.ts';
import {userPreferencesQuerySchema, userPreferencesSchema} from './resources/preferences.ts';

/** The REST API, one row an operation. */
export const endpoints = {
	getUserPreferences: endpoint({
		method: 'GET',
		path: '/api/v1/user/preferences',
		summary: 'Get user preferences',
		auth: 'bearer',
		query: userPreferencesQuerySchema,
		result: userPreferencesSchema,
	}),
} as const;

export type EndpointId = keyof typeof endpoints;
