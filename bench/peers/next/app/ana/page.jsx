import { Header, Side } from '../../../step/Frame.jsx'
import { Wizard } from './Wizard.jsx'

/** What never changes stays on the server; only the wizard is sent as script. */
export default function Page() {
  return (
    <div className="page">
      <Header />
      <Wizard side={<Side />} />
    </div>
  )
}
