import type {CoreServices} from '../kit/services.ts';
import type {ArtifactStore} from './artifact-store.ts';

/** What artifacts stand on. */
export type ArtifactServices = CoreServices & {readonly artifacts: ArtifactStore};
