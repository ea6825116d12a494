import {apiKeyHandlers} from './api-keys.ts';
import {artifactHandlers} from './artifacts.ts';
import {assessmentHandlers} from './assessments.ts';
import {creditHandlers} from './credits.ts';
import {environmentHandlers} from './environments.ts';
import {evaluationHandlers} from './evaluations.ts';
import {findingHandlers} from './findings.ts';
import type {Handlers} from './handler.ts';
import {itemHandlers} from './items.ts';
import {environmentListHandlers} from './lists/environment-list.ts';
import {runListHandlers} from './lists/run-list.ts';
import {scopeHandlers} from './lists/scope-lists.ts';
import {sessionListHandlers} from './lists/session-list.ts';
import {mfaHandlers} from './mfa.ts';
import {organizationHandlers} from './organization.ts';
import {preferenceHandlers} from './preferences.ts';
import {runHandlers} from './runs.ts';
import {runtimeHandlers} from './runtimes.ts';
import {sessionHandlers} from './sessions.ts';
import {stageHandlers} from './stages.ts';
import {traceHandlers} from './traces.ts';

/** All operations of the contract. A missing one doesn't compile. */
export const handlers: Handlers = {
	...apiKeyHandlers,
	...artifactHandlers,
	...assessmentHandlers,
	...creditHandlers,
	...environmentListHandlers,
	...environmentHandlers,
	...evaluationHandlers,
	...findingHandlers,
	...itemHandlers,
	...mfaHandlers,
	...organizationHandlers,
	...scopeHandlers,
	...preferenceHandlers,
	...runListHandlers,
	...runHandlers,
	...runtimeHandlers,
	...sessionListHandlers,
	...sessionHandlers,
	...stageHandlers,
	...traceHandlers,
};
