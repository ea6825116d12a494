import {randomUUID} from 'node:crypto';
import fc, {type Arbitrary} from 'fast-check';
import {expect, test} from 'vitest';
import * as z from 'zod/mini';
import type {Endpoint} from '../../src/contract/endpoint.ts';
import {type OperationId, operations} from '../../src/contract/extensions.ts';
import {assessmentSchema, attackSpanSchema} from '../../src/contract/resources/assessment.ts';
import {findingSchema, trialEvidenceSchema} from '../../src/contract/resources/finding.ts';
import type {Json} from '../../src/core/json.ts';
import {attributeTable} from '../../src/server/ingest/attributes.ts';
import {anyCharacter} from '../any-text.ts';
import {valuesOf} from '../contract/arbitrary.ts';
import {engine} from './database/engine.ts';
import {createTestServer, type TestServer} from './harness.ts';
import {complaintOf} from './hostile-answers.ts';
import {type Given, toRequest, tracesPath} from './ingest/push.ts';
import {ask, callOf, type Parameters, populate} from './populated.ts';

/** The fields of attribute families, by prefix. */
const families: Readonly<Record<string, z.core.$ZodShape>> = {
	'service.airt.assessment.': {
		...assessmentSchema.shape,
		name: z.string(),
		sandbox: z.unknown(),
		target_model: z.string(),
	},
	'service.airt.attack.': {...findingSchema.shape, ...attackSpanSchema.shape},
	'service.airt.trial.': trialEvidenceSchema.shape,
};

const any = fc.oneof(
	fc.jsonValue({depthSize: 'small', stringUnit: anyCharacter}) as Arbitrary<Json>,
	fc.constantFrom<Json>(
		'',
		'\0',
		'{',
		'[]',
		'{}',
		'null',
		-1,
		0.5,
		1e300,
		2 ** 53,
		'x'.repeat(5000),
		'2026-03-01T10:00:00Z',
	),
	fc.constantFrom<Json>('completed', 'failed', 'pending', 'running', 'chat', 'user', 'evaluation', 'workspace', 'true'),
);

/** Attributes that the server reads, valid and invalid. */
const attributes: Arbitrary<Readonly<Record<string, Json>>> = fc.dictionary(
	fc.constantFrom(...Object.keys(attributeTable).filter(key => !key.endsWith('*') && !isScope(key))),
	any,
	{maxKeys: 8},
);

function isScope(key: string): boolean {
	return key === 'service.workspace' || key === 'service.project';
}

/** A span of a kind with fields of its family, each of its own type or any type. */
function spanOf(type: string, family?: string): Arbitrary<Readonly<Record<string, Json>>> {
	const fields = Object.entries(families[family ?? ''] ?? {}).map(([name, schema]) =>
		fc.record({[`${family}${name}`]: fc.oneof(valuesOf(schema), any)}),
	);
	const some = fields.length > 0 ? fc.array(fc.oneof(...fields), {maxLength: 12}) : fc.constant([]);
	return fc
		.tuple(attributes, some)
		.map(([common, own]) => Object.assign({}, common, ...own, {'service.span.type': type}));
}

const spans = fc.tuple(
	spanOf('assessment', 'service.airt.assessment.'),
	spanOf('attack', 'service.airt.attack.'),
	spanOf('trial', 'service.airt.trial.'),
	spanOf('workflow_run'),
	spanOf('chat'),
	spanOf('compaction'),
);

/** One trace whose spans all belong to something readable. */
function stackOf(
	names: Parameters,
	[assessment, attack, trial, run, chat, compaction]: readonly Readonly<Record<string, Json>>[],
) {
	const trace = randomUUID().replaceAll('-', '');
	const session = {'gen_ai.conversation.id': names.sessionId};
	const all: readonly Given[] = [
		{trace, id: '1', attributes: {...assessment, 'service.airt.assessment.id': names.assessmentId}},
		{trace, id: '2', parent: '1', attributes: {...attack, 'service.airt.assessment.id': names.assessmentId}},
		{trace, id: '3', parent: '2', attributes: {...trial, 'service.airt.assessment.id': names.assessmentId}},
		{trace, id: '4', attributes: {...run, 'service.workflow.run.id': names.runId}},
		{trace, id: '5', parent: '4', attributes: {...chat, ...session, 'service.item.type': 'notes'}},
		{trace, id: '6', attributes: {...compaction, ...session, 'service.evaluation.id': names.evaluationId}},
	];
	return all;
}

const reads: readonly OperationId[] = [
	'listAssessments',
	'getAttackSpans',
	'listFindings',
	'unarchiveSession',
	'listRunItems',
	'getItemSchemas',
	'getEvaluationTraceStats',
];

const rowOf = (id: OperationId): Endpoint => operations[id];

/** Returns what is wrong with all responses after ingesting some spans. */
async function complaints(server: TestServer, names: Parameters): Promise<readonly string[]> {
	const wrong: string[] = [];
	const {json: list} = await ask(server, 'listFindings', names);
	const calls: readonly (readonly [OperationId, Parameters])[] = [
		...reads.map(id => [id, names] as const),
		...list.findings.map(({id}: {id: string}) => ['getFinding', {...names, findingId: id}] as const),
	];
	for (const [id, parameters] of calls) {
		const answer = await ask(server, id, parameters);
		const complaint = answer.status === 200 ? complaintOf(rowOf(id), answer) : `${answer.status}`;
		wrong.push(...(complaint === undefined ? [] : [`${callOf(id, parameters).path}: ${complaint.slice(0, 500)}`]));
	}

	return wrong;
}

test('whatever spans contain, everything derived from them follows the contract', async () => {
	const server = await createTestServer();
	const names = await populate(server);
	await fc.assert(
		fc.asyncProperty(spans, async given => {
			const body = toRequest(stackOf(names, given));
			const {status, text} = await server.send(tracesPath, {method: 'POST', body});
			expect([status, text]).toEqual([200, expect.any(String)]);
			expect(await complaints(server, names)).toEqual([]);
			await server.database.deleteFrom('findings').execute();
		}),
		{numRuns: engine === 'sqlite' ? 60 : 15},
	);
});
