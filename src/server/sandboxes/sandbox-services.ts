import type {CoreServices} from '../kit/services.ts';
import type {Sandboxing} from './sandboxing.ts';

/** What environments and runtimes need. */
export type SandboxServices = CoreServices & {readonly sandboxes: Sandboxing};
