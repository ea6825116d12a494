import {expectTypeOf, test} from 'vitest';
import type {Client} from '../../src/client/client.ts';
import type {OperationId, operations} from '../../src/contract/extensions.ts';
import type {Session} from '../../src/contract/resources/session.ts';
import type {SessionUsage} from '../../src/core/session/usage.ts';

// What is said here is checked by the compiler; nothing of it is run.
type CallOf<Id extends OperationId> = Parameters<Client[Id]>[0];
type AnswerOf<Id extends OperationId> = Awaited<ReturnType<Client[Id]>>;

const place = {org: 'acme', workspace: 'ml'};

test('a client has exactly one function per row', () => {
	expectTypeOf<keyof Client>().toEqualTypeOf<keyof typeof operations>();
});

test('parameters are those of the path, each one needed', () => {
	expectTypeOf({params: {...place, runtimeId: 'dev'}}).toExtend<CallOf<'resumeRuntime'>>();
	expectTypeOf({params: place}).not.toExtend<CallOf<'resumeRuntime'>>();
	expectTypeOf<undefined>().not.toExtend<CallOf<'resumeRuntime'>>();
	expectTypeOf<undefined>().toExtend<CallOf<'getUserPreferences'>>();
});

test('query and body are those of the schema; defaults may be left out, other types do not compile', () => {
	const params = {...place, runId: 'x'};
	expectTypeOf({params, query: {project_id: 'x'}}).toExtend<CallOf<'listRunItems'>>();
	expectTypeOf({params}).not.toExtend<CallOf<'listRunItems'>>();
	expectTypeOf({params, query: {project_id: 'x', limit: '5'}}).not.toExtend<CallOf<'listRunItems'>>();
	expectTypeOf<NonNullable<CallOf<'pushTraces'>>['contentType']>().toEqualTypeOf<
		'application/x-protobuf' | 'application/json'
	>();
});

test('a response may lack any field and have new enum values; unknown fields are not in the type', () => {
	expectTypeOf<AnswerOf<'resumeRuntime'>['name']>().toEqualTypeOf<string | undefined>();
	expectTypeOf<'hibernating'>().toExtend<AnswerOf<'resumeRuntime'>['status']>();
	expectTypeOf<'later'>().not.toExtend<keyof AnswerOf<'resumeRuntime'>>();
	expectTypeOf<AnswerOf<'removeMemberLimit'>>().toEqualTypeOf<undefined>();
	expectTypeOf<AnswerOf<'listApiKeys'>>().toEqualTypeOf<unknown>();
});

test('session usage of core and contract has the same fields', () => {
	expectTypeOf<SessionUsage>().toExtend<Session['usage']>();
	expectTypeOf<Exclude<keyof SessionUsage, KnownOf<Session['usage']>>>().toEqualTypeOf<never>();
	expectTypeOf<Exclude<KnownOf<Session['usage']>, keyof SessionUsage>>().toEqualTypeOf<never>();
});

type KnownOf<T> = keyof {[Name in keyof T as string extends Name ? never : Name]: T[Name]};
