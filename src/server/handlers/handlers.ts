import {artifactHandlers} from './artifacts.ts';
import {assessmentHandlers} from './assessments.ts';
import {creditHandlers} from './credits.ts';
import {environmentHandlers} from './environments.ts';
import {evaluationHandlers} from './evaluations.ts';
import type {Handlers} from './handler.ts';
import {itemHandlers} from './items.ts';
import {organizationHandlers} from './organization.ts';
import {runHandlers} from './runs.ts';
import {runtimeHandlers} from './runtimes.ts';
import {sessionHandlers} from './sessions.ts';
import {stageHandlers} from './stages.ts';
import {traceHandlers} from './traces.ts';
import {userHandlers} from './user.ts';

/** All operations of the contract. A missing one doesn't compile. */
export const handlers: Handlers = {
	...userHandlers,
	...artifactHandlers,
	...assessmentHandlers,
	...creditHandlers,
	...environmentHandlers,
	...evaluationHandlers,
	...itemHandlers,
	...organizationHandlers,
	...runHandlers,
	...runtimeHandlers,
	...sessionHandlers,
	...stageHandlers,
	...traceHandlers,
};
