import {endpoint} from './endpoint.ts';
import {endpoints, org, workspace} from './endpoints.ts';
import {membershipsSchema, projectsSchema, workspacesSchema} from './resources/account.ts';
import {environmentSchema, environmentsSchema} from './resources/environment.ts';
import {pageQuerySchema, projectPageQuerySchema} from './resources/page.ts';
import {runsSchema} from './resources/run.ts';
import {createRuntimeSchema, runtimeSchema, runtimesSchema} from './resources/runtime.ts';
import {sessionsSchema} from './resources/session.ts';

/** Operations that the specification lacks: lists and related ones. A server without them returns 404 or 405. */
export const extensions = {
	listOrganizations: endpoint({
		method: 'GET',
		path: '/api/v1/org',
		summary: 'List organizations of the caller',
		auth: 'bearer',
		query: pageQuerySchema,
		result: membershipsSchema,
		extension: true,
	}),
	listWorkspaces: endpoint({
		method: 'GET',
		path: `${org}/ws`,
		summary: 'List workspaces',
		auth: 'bearer',
		query: pageQuerySchema,
		result: workspacesSchema,
		extension: true,
	}),
	listProjects: endpoint({
		method: 'GET',
		path: `${workspace}/projects`,
		summary: 'List projects',
		auth: 'bearer',
		query: pageQuerySchema,
		result: projectsSchema,
		extension: true,
	}),
	listEnvironments: endpoint({
		method: 'GET',
		path: `${workspace}/environments`,
		summary: 'List task environments',
		auth: 'bearer',
		query: projectPageQuerySchema,
		result: environmentsSchema,
		extension: true,
	}),
	getEnvironment: endpoint({
		method: 'GET',
		path: `${workspace}/environments/:environmentId`,
		summary: 'Get task environment',
		description: 'Without the execute token, which only the response to its creation has.',
		auth: 'bearer',
		result: environmentSchema,
		extension: true,
	}),
	stopEnvironment: endpoint({
		method: 'POST',
		path: `${workspace}/environments/:environmentId/stop`,
		summary: 'Stop task environment',
		description: 'For its creator and admins. Does nothing if it has ended.',
		auth: 'bearer',
		result: environmentSchema,
		extension: true,
	}),
	listRuntimes: endpoint({
		method: 'GET',
		path: `${workspace}/runtimes`,
		summary: 'List runtimes',
		auth: 'bearer',
		query: projectPageQuerySchema,
		result: runtimesSchema,
		extension: true,
	}),
	createRuntime: endpoint({
		method: 'POST',
		path: `${workspace}/runtimes`,
		summary: 'Create runtime',
		description: 'The caller owns it. It is idle until resumed.',
		auth: 'bearer',
		body: createRuntimeSchema,
		result: runtimeSchema,
		extension: true,
	}),
	getRuntime: endpoint({
		method: 'GET',
		path: `${workspace}/runtimes/:runtimeId`,
		summary: 'Get runtime',
		auth: 'bearer',
		result: runtimeSchema,
		extension: true,
	}),
	stopRuntime: endpoint({
		method: 'POST',
		path: `${workspace}/runtimes/:runtimeId/stop`,
		summary: 'Stop runtime',
		description: 'For its owner and admins. Ends its sandbox, running or paused; its files stay for the next resume.',
		auth: 'bearer',
		result: runtimeSchema,
		extension: true,
	}),
	listSessions: endpoint({
		method: 'GET',
		path: `${workspace}/sessions`,
		summary: 'List sessions',
		description: 'Sessions of the caller, and those shared with the workspace.',
		auth: 'bearer',
		query: projectPageQuerySchema,
		result: sessionsSchema,
		extension: true,
	}),
	listRuns: endpoint({
		method: 'GET',
		path: `${workspace}/workflows/runs`,
		summary: 'List workflow runs',
		auth: 'bearer',
		query: projectPageQuerySchema,
		result: runsSchema,
		extension: true,
	}),
} as const;

/** All operations of our server and client: those of the specification, then our extensions. */
export const operations = {...endpoints, ...extensions} as const;

export type OperationId = keyof typeof operations;
