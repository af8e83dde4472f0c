import { ScreenHead } from '../parts.tsx'
import { navigate } from '../router.tsx'
import { DocumentEditor } from './DocumentEditor.tsx'

export const NewDocument = () => (
  <>
    <ScreenHead
      title="Add a document"
      lead="Everyone accepts it before they pay, from the moment it’s published. Members who joined before don’t."
    />
    <DocumentEditor
      onDone={({ id }) => navigate(`/console/documents/${id}`)}
      onClose={() => navigate('/console/documents')}
    />
  </>
)
