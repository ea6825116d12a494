import {Validator} from '@seriousme/openapi-schema-validator';
import {expect, test} from 'vitest';
import type {Endpoint} from '../../src/contract/endpoint.ts';
import {extensions, operations} from '../../src/contract/extensions.ts';
import {components, openApiDocument} from '../../src/contract/openapi.ts';
import {pathTemplate} from '../../src/contract/path.ts';
import type {Json} from '../../src/core/json.ts';

const document = openApiDocument({server: 'http://127.0.0.1:8700'});
const rows = Object.entries<Endpoint>(operations);

/** The value at a place of the document; undefined where there is none. */
function at(...path: readonly string[]): Json | undefined {
	return path.reduce<Json | undefined>(
		(value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined),
		document,
	);
}

function references(value: Json): readonly string[] {
	if (typeof value !== 'object' || value === null) {
		return [];
	}

	return Object.entries(value).flatMap(([key, inner]) =>
		key === '$ref' && typeof inner === 'string' ? [inner] : references(inner),
	);
}

test('the document is valid OpenAPI 3.1', async () => {
	const validator = new Validator();
	expect(await validator.validate(structuredClone(document))).toEqual({valid: true});
	expect(validator.version).toBe('3.1');
});

test('the validator rejects an invalid document', async () => {
	const broken = {...structuredClone(document), paths: {'/a': {get: {responses: 5}}}};
	expect(await new Validator().validate(broken)).toMatchObject({valid: false});
});

test('every reference resolves, and every schema is referenced', () => {
	const found = references(document);
	expect(found.filter(reference => at(...reference.slice(2).split('/')) === undefined)).toEqual([]);
	const unused = Object.keys(components).filter(name => !found.includes(`#/components/schemas/${name}`));
	expect(unused).toEqual([]);
});

test.each(rows)('%s is documented with its credential, parameters and errors', (id, row) => {
	const place = ['paths', pathTemplate(row.path), row.method.toLowerCase()];
	expect(at(...place)).toMatchObject({
		operationId: id,
		summary: row.summary,
		security: row.auth === 'bearer' ? [{bearer: []}] : [{apiKey: []}],
	});
	const declared = (at(...place, 'parameters') ?? []) as ReadonlyArray<{readonly name: string; readonly in: string}>;
	const inPath = [...pathTemplate(row.path).matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
	expect(declared.filter(parameter => parameter.in === 'path').map(({name}) => name)).toEqual(inPath);
	const statuses = row.errors ?? [400, 401, 403, 404, 409, 422, 426, 429, 500, 502, 504];
	expect(Object.keys(at(...place, 'responses') ?? {}).map(Number)).toEqual([row.result ? 200 : 204, ...statuses]);
});

test('bounds, defaults, enums and nulls of the schemas are in the document', () => {
	expect(at('components', 'schemas', 'StageCreateRequest', 'properties', 'provenance')).toMatchObject({
		additionalProperties: false,
		required: ['capability_name', 'capability_version', 'platform_session_id', 'root_run_id'],
		properties: {
			capability_name: {type: 'string', minLength: 1, maxLength: 255},
			span_id: {anyOf: [{type: 'string', minLength: 1, maxLength: 16}, {type: 'null'}]},
		},
	});
	expect(at('components', 'schemas', 'SessionResponse', 'properties', 'origin')).toMatchObject({
		default: 'user',
		enum: ['user', 'eval', 'worker'],
	});
	expect(
		at('paths', '/api/v1/org/{org}/ws/{workspace}/workflows/runs/{run_id}/items', 'get', 'parameters'),
	).toContainEqual({
		name: 'limit',
		in: 'query',
		schema: {type: 'integer', minimum: 1, maximum: 1000, default: 200},
	});
});

test('pushing traces accepts both formats of OpenTelemetry and a content encoding', () => {
	expect(at('paths', '/api/v1/org/{org}/otel/traces', 'post')).toMatchObject({
		parameters: [{name: 'org'}, {name: 'content-encoding', in: 'header'}],
		requestBody: {content: {'application/x-protobuf': {}, 'application/json': {}}},
	});
});

test('a request to create a key may lack its body, others may not', () => {
	expect(at('paths', '/api/v1/user/api-keys', 'post', 'requestBody', 'required')).toBe(false);
	expect(at('paths', '/api/v1/user/preferences', 'patch', 'requestBody', 'required')).toBe(true);
});

test('exactly the operations outside the specification are marked as extensions', () => {
	const marked = rows.filter(([, row]) => at('paths', pathTemplate(row.path), row.method.toLowerCase(), 'x-extension'));
	expect(marked.map(([id]) => id)).toEqual(Object.keys(extensions));
});

test('deprecated operations are marked', () => {
	const deprecated = rows.filter(([, row]) =>
		at('paths', pathTemplate(row.path), row.method.toLowerCase(), 'deprecated'),
	);
	expect(deprecated.map(([id]) => id)).toEqual(['removeMemberLimit']);
});
