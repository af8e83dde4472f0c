import { describeJourneys } from './journeys.ts'
import { startWebKit } from './webkit.ts'

describeJourneys('WebKit', startWebKit)
