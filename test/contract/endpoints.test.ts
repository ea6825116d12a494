import {expect, test} from 'vitest';
import {type Endpoint, scopeOf} from '../../src/contract/endpoint.ts';
import {endpoints} from '../../src/contract/endpoints.ts';
import {operations} from '../../src/contract/extensions.ts';
import {pathParameters} from '../../src/contract/parameters.ts';
import {parametersOf, pathTemplate} from '../../src/contract/path.ts';

const rows = Object.entries<Endpoint>(endpoints);
const workspace = '/api/v1/org/{org}/ws/{workspace}';

test('the table has the 24 operations of the specification, in its order', () => {
	expect(rows.map(([, {method, path}]) => `${method} ${pathTemplate(path)}`)).toEqual([
		`POST ${workspace}/projects/{project}/items/{item_id}/submission-stages`,
		`POST ${workspace}/environments`,
		`GET ${workspace}/environments/{environment_id}/logs`,
		'POST /api/v1/auth/mfa/enroll/verify',
		`GET ${workspace}/traces/{trace_id}/artifacts/{oid}`,
		`POST ${workspace}/sessions/{session_id}/unarchive`,
		'PATCH /api/v1/user/preferences',
		'GET /api/v1/user/preferences',
		`GET ${workspace}/airt/assessments/{assessment_id}/traces/attacks`,
		`POST ${workspace}/runtimes/{runtime_id}/resume`,
		`GET ${workspace}/workflows/runs/{run_id}/items`,
		`GET ${workspace}/projects/{project}/items/schemas`,
		`GET ${workspace}/evaluation/{evaluation_id}/traces`,
		'GET /api/v1/org/{org}/credits/auto-refill',
		'DELETE /api/v1/org/{org}/credits/member-limits/{user_id}',
		`GET ${workspace}/airt/findings/{finding_id}`,
		`POST ${workspace}/workflows/runs/{run_id}/claim`,
		'PATCH /api/v1/org/{org}',
		`GET ${workspace}/airt/assessments`,
		`GET ${workspace}/airt/projects/{project}/findings`,
		'POST /api/v1/org/{org}/otel/traces',
		'GET /api/v1/user/api-keys',
		'POST /api/v1/user/api-keys',
		'DELETE /api/v1/user/api-keys/{key_id}',
	]);
});

test('the artifact resolver alone takes the API key in its own header', () => {
	expect(rows.filter(([, {auth}]) => auth === 'api-key').map(([id]) => id)).toEqual(['resolveTraceArtifact']);
});

test('the scope of an operation is read from its path', () => {
	const scoped = Object.fromEntries(rows.map(([id, row]) => [id, scopeOf(row).join(' ')]));
	expect(scoped).toMatchObject({
		getUserPreferences: '',
		updateOrganization: 'org',
		resumeRuntime: 'org workspace',
		listFindings: 'org workspace project',
		createSubmissionStage: 'org workspace project',
	});
});

test('every path parameter is described, and no other', () => {
	const used = new Set(Object.values<Endpoint>(operations).flatMap(({path}) => parametersOf(path)));
	expect([...used].sort()).toEqual(Object.keys(pathParameters).sort());
});

test('no GET has a body', () => {
	expect(rows.filter(([, row]) => row.method === 'GET' && (row.body || row.raw))).toEqual([]);
});
