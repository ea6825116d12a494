import {administrationHandlers} from './administration.ts';
import {artifactHandlers} from './artifacts.ts';
import {assessmentHandlers} from './assessments.ts';
import {auditHandlers} from './audit.ts';
import {creditHandlers} from './credits.ts';
import {dataHandlers} from './data.ts';
import {environmentHandlers} from './environments.ts';
import {evaluationHandlers} from './evaluations.ts';
import type {Handlers} from './handler.ts';
import {invitationHandlers} from './invitations.ts';
import {itemHandlers} from './items.ts';
import {memberHandlers} from './members.ts';
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
	...administrationHandlers,
	...artifactHandlers,
	...assessmentHandlers,
	...auditHandlers,
	...creditHandlers,
	...dataHandlers,
	...environmentHandlers,
	...evaluationHandlers,
	...invitationHandlers,
	...itemHandlers,
	...memberHandlers,
	...organizationHandlers,
	...runHandlers,
	...runtimeHandlers,
	...sessionHandlers,
	...stageHandlers,
	...traceHandlers,
};
