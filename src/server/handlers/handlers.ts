import {apiKeyHandlers} from './api-keys.ts';
import {artifactHandlers} from './artifacts.ts';
import {assessmentHandlers} from './assessments.ts';
import {creditHandlers} from './credits.ts';
import {environmentListHandlers} from './environment-list.ts';
import {environmentHandlers} from './environments.ts';
import {evaluationHandlers} from './evaluations.ts';
import {findingHandlers} from './findings.ts';
import type {Handlers} from './handler.ts';
import {itemHandlers} from './items.ts';
import {mfaHandlers} from './mfa.ts';
import {organizationHandlers} from './organization.ts';
import {placeHandlers} from './places.ts';
import {preferenceHandlers} from './preferences.ts';
import {runListHandlers} from './run-list.ts';
import {runHandlers} from './runs.ts';
import {runtimeHandlers} from './runtimes.ts';
import {sessionListHandlers} from './session-list.ts';
import {sessionHandlers} from './sessions.ts';
import {stageHandlers} from './stages.ts';
import {traceHandlers} from './traces.ts';

/** Every operation of the contract; one that is missing does not compile. */
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
	...placeHandlers,
	...preferenceHandlers,
	...runListHandlers,
	...runHandlers,
	...runtimeHandlers,
	...sessionListHandlers,
	...sessionHandlers,
	...stageHandlers,
	...traceHandlers,
};
