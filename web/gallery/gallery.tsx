import { createRoot } from 'react-dom/client'
import { Header } from '#web/Header.tsx'
import { DialogGallery } from './DialogGallery.tsx'
import { FormGallery } from './FormGallery.tsx'
import '../main.css'
import './gallery.css'

const root = document.getElementById('foyer')

// Served by npm run dev only.
if (root)
  createRoot(root).render(
    <div className="page">
      <Header note="Every component in every state." />
      <main className="gallery">
        <h1 id="heading" tabIndex={-1}>
          Gallery
        </h1>
        <p className="lead">The components of forms and dialogs. Only npm run dev serves this page.</p>
        <DialogGallery />
        <FormGallery />
      </main>
    </div>,
  )
