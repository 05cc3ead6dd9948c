// What a teacher, another network, says of recordings: probabilities of classes (soft labels: Hinton, Vinyals
// and Dean, "Distilling the Knowledge in a Neural Network", 2015) and embeddings. A teacher is asked about
// whole recordings of one sound; training mixes scenes of these. Immutable once read: any thread.
//
// A table is a CSV file with a header, `file` and a column for each value, or NAME.npy, (recordings, values),
// with NAME.csv, whose column `file` names the recording of each row. The labels of soft labels are the CSV's
// column names, or the column `label` of NAME.labels.csv beside NAME.npy. A file is named by its path:
// absolute, relative to the table, or its last parts ("dog/3.wav"). Labels are compared as those of a data
// set are, in upper or lower case; columns of other labels are ignored, and so are rows of other recordings.
#pragma once

#include "Core/Training/Data/DataSet.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace earshot::training {

struct TeacherFiles {
    std::optional<std::filesystem::path> softLabels, embeddings;
};

// Of one recording. The pointers are into the table, or null where it has no row.
struct TeacherRow {
    const float* soft = nullptr; // (classes): 0 to 1; below 0: the teacher does not know the class
    const float* embedding =
        nullptr; // (embeddingWidth): mean 0, deviation 1 over the recordings of Split::train
};

class TeacherTable {
  public:
    // Throws earshot::Error, which names the file and the row, if a table cannot be read, a value is not
    // finite, a probability is not between 0 and 1, a row names two recordings, or nothing in the table is of
    // this data.
    TeacherTable(const TeacherFiles& files, const DataSet& data);

    // `clip` is an element of the data set's clips. Null if no table has a row of it.
    const TeacherRow* find(const Clip& clip) const;

    // Leaves out (Split::unused) recordings without labels of which the soft labels have no row. Returns
    // their number. `data` is the data set of the constructor.
    std::size_t leaveOutUnknown(DataSet& data) const;

    int embeddingWidth() const { return static_cast<int>(embeddingWidth_); } // 0 without embeddings
    // "soft labels of 8712 of 8767 recordings, 80 of 82 classes; embeddings of 384 values of 8767"
    const std::string& summary() const { return summary_; }

  private:
    void readSoftLabels(const std::filesystem::path& file, const DataSet& data);
    void readEmbeddings(const std::filesystem::path& file, const DataSet& data);
    void standardise(const DataSet& data);

    const Clip* first_ = nullptr;  // of the data set
    std::vector<TeacherRow> rows_; // by clip
    std::vector<float> soft_;      // (rows of the table, classes)
    std::vector<float> embeddings_;
    std::size_t embeddingWidth_ = 0;
    std::string summary_;
};

} // namespace earshot::training
